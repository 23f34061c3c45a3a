# The same things .ci/run does, one at a time. Needs Go and nothing else, but
# for lint (builds golangci-lint once) and e2e (builds llama.cpp's server once).

.PHONY: build test lint fuzz golden e2e long

build: ## ./crosstalk
	go build -trimpath -o crosstalk ./cmd/crosstalk

test: ## everything that needs no network and no other program
	go test ./...

lint: ## go vet and golangci-lint
	.ci/run vet lint

fuzz: ## every fuzz target for FUZZTIME
	FUZZTIME=$${FUZZTIME:-10s} .ci/run fuzz

golden: ## rewrite the golden files; read the diff before committing it
	.ci/golden

e2e: ## against a real inference engine
	.ci/run e2e

long: ## hours; writes docs/long/
	.ci/long
