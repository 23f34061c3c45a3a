package tenants_test

import (
	"sync"
	"testing"

	"crosstalk/tenants"
)

// What is remembered is what the prompt key gives, under every key, from many
// goroutines, and for more requests than are remembered.
func TestRequestHash(t *testing.T) {
	older := tenants.NewCodec(testKey(t, 1))
	codec := tenants.NewCodec(testKey(t, 2), testKey(t, 1))
	var wg sync.WaitGroup
	for _, requests := range []uint32{40_000, 2_000, 2_000} {
		wg.Go(func() {
			derive := codec.PromptKeys()
			for i := range requests {
				p := tenants.Payload{Tenant: 7, Second: i, Draw: 3, Index: uint8(i % 16)}
				if got, want := codec.RequestHash(p), derive(p).Hash(); got != want {
					t.Errorf("request %d: hash %d, its key has %d", i, got, want)
					return
				}
			}
		})
	}
	wg.Wait()
	p := tenants.Payload{Tenant: 7, Second: 1, Draw: 3}
	if codec.Under(1).RequestHash(p) != older.RequestHash(p) {
		t.Error("under the older key, the hash is another than that key alone gives")
	}
	if codec.RequestHash(p) == older.RequestHash(p) {
		t.Error("two keys give one hash")
	}
}
