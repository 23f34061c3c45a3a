package tenants_test

import (
	"strings"
	"testing"

	"crosstalk/corpus"
	"crosstalk/tenants"
)

// FuzzFind checks that hits are in order, within the text, and true: the marker
// of the payload, minted anew, has at most one word more or fewer than the hit,
// and reading the hit alone finds the same payload.
func FuzzFind(f *testing.F) {
	c := tenants.NewCodec(testKey(f, 0))
	_, marker := mint(f, c, somePayload, corpus.DressWords)
	_, code := mint(f, c, somePayload, corpus.DressCode)
	f.Add("seal 1: " + marker + "\nseal 2: " + code)
	f.Add(strings.ToUpper(marker) + " " + strings.ReplaceAll(code, "-", ""))
	f.Add(strings.ReplaceAll(marker, " ", "-\n"))
	f.Add(`["` + strings.ReplaceAll(marker, " ", `\n`) + `"]`)
	f.Add(marker[5:] + " " + code[1:])
	f.Fuzz(func(t *testing.T, text string) {
		start := -1
		for _, h := range c.Find(text) {
			if h.Start < start || h.End <= h.Start || h.End > len(text) {
				t.Fatalf("%q: hit %+v out of place", text, h)
			}
			start = h.Start
			if h.PChance <= 0 || h.PChance > 1e-12 {
				t.Fatalf("%q: p is %v", text, h.PChance)
			}
			if _, ok := c.Mint(h.Payload, h.Dress); !ok {
				t.Fatalf("%q: hit %+v, which cannot be minted", text, h)
			}
			alone := c.Find(text[h.Start:h.End])
			if len(alone) != 1 || alone[0].Payload != h.Payload {
				t.Fatalf("%q: hit %+v, alone %+v", text, h, alone)
			}
		}
		tenants.Runs(text, 5)
	})
}

// FuzzParseFleetKey checks that what parses is written as it was read.
func FuzzParseFleetKey(f *testing.F) {
	f.Add(testKey(f, 0).Encode())
	f.Add("")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	f.Add("-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_8\n")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := tenants.ParseFleetKey(text)
		if err != nil {
			return
		}
		again, err := tenants.ParseFleetKey(key.Encode())
		if err != nil || !again.Equal(key) || key.IsZero() {
			t.Errorf("%q parses as %q, which parses with %v", text, key.Encode(), err)
		}
	})
}
