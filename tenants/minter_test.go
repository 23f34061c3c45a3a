package tenants_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/corpus"
	"crosstalk/tenants"
)

// at is a clock that stands still.
func at(second uint32) func() time.Time {
	return func() time.Time { return tenants.Epoch.Add(time.Duration(second)*time.Second + 999*time.Millisecond) }
}

func someSpec(dress corpus.Dress, seals int) corpus.Spec {
	return corpus.Spec{
		Version: corpus.Version, Family: corpus.Families()[0].Name, Task: corpus.TaskSeals,
		Dress: dress, Sentences: 40, Seals: seals,
	}
}

// TestMinter mints prompts of every number of seals and holds that each marker
// names the request and its own number, and that the prompt can be rebuilt.
func TestMinter(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	m := tenants.NewMinter(c, at(5000), nil)
	for _, dress := range []corpus.Dress{corpus.DressWords, corpus.DressCode} {
		for seals := 1; seals <= corpus.MaxSeals; seals++ {
			spec := someSpec(dress, seals)
			p, prompt, err := m.Mint(7, spec)
			if err != nil {
				t.Fatal(err)
			}
			if p.Tenant != 7 || p.Second != 5000 || p.Index != 0 {
				t.Errorf("minted %+v, want tenant 7 in second 5000", p)
			}
			text, err := io.ReadAll(prompt.Reader())
			if err != nil {
				t.Fatal(err)
			}
			var want, got []tenants.Payload
			for i := range seals {
				q := p
				q.Index = uint8(i)
				want = append(want, q)
			}
			for _, marker := range prompt.Markers() {
				for _, h := range c.Find(marker.Text) {
					got = append(got, h.Payload)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d markers as %s (-want +got):\n%s", seals, dress, diff)
			}
			if hits := c.Find(string(text)); len(hits) != seals {
				t.Errorf("the prompt holds %d markers, want %d", len(hits), seals)
			}
			again, err := c.Prompt(p, spec)
			if err != nil {
				t.Fatal(err)
			}
			rebuilt, err := io.ReadAll(again.Reader())
			if err != nil || string(rebuilt) != string(text) {
				t.Errorf("the prompt is not the same when rebuilt (%v)", err)
			}
		}
	}
}

// TestMinterNeverRepeats mints concurrently, at the edge of two seconds.
func TestMinterNeverRepeats(t *testing.T) {
	var mu sync.Mutex
	calls := 0
	now := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		calls++
		return tenants.Epoch.Add(time.Duration(100+calls%2) * time.Second)
	}
	m := tenants.NewMinter(tenants.NewCodec(testKey(t, 0)), now, nil)
	spec := someSpec(corpus.DressWords, 1)
	minted := make(map[tenants.Payload]bool)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 400 {
				p, _, err := m.Mint(1, spec)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if minted[p] {
					t.Errorf("%+v was minted twice", p)
				}
				minted[p] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func TestMinterAsksTheJournal(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	var asked []tenants.Payload
	m := tenants.NewMinter(c, at(1), func(p tenants.Payload) bool {
		asked = append(asked, p)
		return len(asked) < 4
	})
	p, _, err := m.Mint(1, someSpec(corpus.DressWords, 1))
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) < 4 || asked[len(asked)-1] != p {
		t.Errorf("asked for %+v, minted %+v", asked, p)
	}
}

func TestMinterErrors(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	spec := someSpec(corpus.DressWords, 1)
	with := func(change func(*corpus.Spec)) corpus.Spec { s := spec; change(&s); return s }
	tests := []struct {
		name   string
		tenant uint16
		now    func() time.Time
		seen   func(tenants.Payload) bool
		spec   corpus.Spec
		err    string
		is     error
	}{
		{"tenant 0", 0, at(1), nil, spec, "tenant index 0, want 1 to 4095", nil},
		{"tenant too large", 4096, at(1), nil, spec, "tenant index 4096", nil},
		{"before the epoch", 1, func() time.Time { return tenants.Epoch.Add(-time.Second) }, nil, spec, "set the clock", nil},
		{"after the last second", 1, at(1 << 28), nil, spec, "set the clock", nil},
		{"all known", 1, at(1), func(tenants.Payload) bool { return true }, spec, "no new request", nil},
		{"no seals", 1, at(1), nil, with(func(s *corpus.Spec) { s.Seals = 0 }), "0 markers", corpus.ErrSpec},
		{"too many seals", 1, at(1), nil, with(func(s *corpus.Spec) { s.Seals = 17 }), "17 markers", corpus.ErrSpec},
		{"no dress", 1, at(1), nil, with(func(s *corpus.Spec) { s.Dress = "" }), `unknown marker dress ""`, corpus.ErrSpec},
		{"no family", 1, at(1), nil, with(func(s *corpus.Spec) { s.Family = "none" }), "mint: ", corpus.ErrSpec},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := tenants.NewMinter(c, tt.now, tt.seen).Mint(tt.tenant, tt.spec)
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error is %v, want one with %q", err, tt.err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error is %v, want one that wraps %v", err, tt.is)
			}
		})
	}
}

func TestMinterLastSecond(t *testing.T) {
	p, _, err := tenants.NewMinter(tenants.NewCodec(testKey(t, 0)), at(1<<28-1), nil).Mint(1, someSpec(corpus.DressWords, 1))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Time(), time.Date(2034, 7, 4, 21, 24, 15, 0, time.UTC); !got.Equal(want) {
		t.Errorf("the last second is %v, want %v", got, want)
	}
}

func TestPromptOfUnusablePayload(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	p := somePayload.Request()
	for {
		if _, ok := c.Mint(p, corpus.DressWords); !ok {
			break
		}
		p.Draw++
	}
	if _, err := c.Prompt(p, someSpec(corpus.DressWords, 1)); err == nil || !strings.Contains(err.Error(), "no usable marker 1") {
		t.Errorf("error is %v, want that the payload gives no usable marker", err)
	}
	if _, err := c.Prompt(tenants.Payload{Tenant: 1 << 12}, someSpec(corpus.DressWords, 1)); err == nil {
		t.Error("a payload out of range gives a prompt")
	}
	for _, bad := range []tenants.Payload{{Tenant: 1 << 12}, {Second: 1 << 28}, {Draw: 1 << 12}, {Index: 1 << 4}} {
		if text, ok := c.Mint(bad, corpus.DressWords); ok {
			t.Errorf("Mint(%+v) = %q", bad, text)
		}
	}
	if text, ok := c.Mint(somePayload, "tuxedo"); ok {
		t.Errorf("an unknown dress gives %q", text)
	}
}

// TestPromptKey holds that all markers of a request name one prompt, and any
// other request another.
func TestPromptKey(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	key := c.PromptKey(somePayload)
	sibling := somePayload
	sibling.Index = 9
	if c.PromptKey(sibling) != key {
		t.Error("two markers of one request have different prompt keys")
	}
	for _, other := range []tenants.Payload{
		{Tenant: 8, Second: somePayload.Second, Draw: somePayload.Draw},
		{Tenant: 7, Second: somePayload.Second + 1, Draw: somePayload.Draw},
		{Tenant: 7, Second: somePayload.Second, Draw: somePayload.Draw + 1},
	} {
		if c.PromptKey(other) == key {
			t.Errorf("%+v has the prompt key of %+v", other, somePayload)
		}
	}
	if tenants.NewCodec(testKey(t, 1)).PromptKey(somePayload) == key {
		t.Error("two fleet keys give the same prompt key")
	}
}
