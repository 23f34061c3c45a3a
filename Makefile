# The same things .ci/run does, one at a time.

.PHONY: build test lint fuzz golden e2e

build: # ./crosstalk
	go build -trimpath -o crosstalk ./cmd/crosstalk

test: # needs no network and no other program
	go test ./...

lint: # go vet and golangci-lint, which is built once
	.ci/run vet lint

fuzz: # every fuzz target for FUZZTIME, 10s unless it is set
	.ci/run fuzz

golden: # rewrites the golden files: read the diff before committing it
	go test $$(git grep -l 'flag.Bool("update"' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -update

e2e: # against a real inference engine, which is built once; .ci/long engines has the rest
	.ci/run e2e
