package pipeline_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// client answers each prompt in process as the test tells it to.
type client struct {
	mu     sync.Mutex
	sent   []int64 // sizes of the prompts, in order
	answer func(p *corpus.Prompt) string
	// prefill, if set, is how long the prompt was read before the first
	// content of a streamed answer.
	prefill func(p *corpus.Prompt) time.Duration
	// refuse, if set, is asked first, with the number of the request from 1.
	refuse func(n int) *provider.Response
}

func (c *client) Do(_ context.Context, req *provider.Request) (*provider.Response, error) {
	p := req.Prompt.(*corpus.Prompt)
	c.mu.Lock()
	c.sent = append(c.sent, p.Size())
	n := len(c.sent)
	c.mu.Unlock()
	if c.refuse != nil {
		if r := c.refuse(n); r != nil {
			return r, nil
		}
	}
	prompt, completion := int(p.Size())/4+10, 100
	total := prompt + completion
	r := &provider.Response{
		Status: 200, Header: http.Header{}, Content: c.answer(p), FinishReason: "stop",
		ID: uuid.NewString(), Model: req.Model,
		Usage: &provider.Usage{Prompt: &prompt, Completion: &completion, Total: &total},
		Times: provider.Times{FirstContent: time.Second, End: 2 * time.Second},
	}
	if c.prefill != nil {
		r.Streamed = true
		r.Times.Wrote = time.Millisecond
		r.Times.FirstContent = r.Times.Wrote + c.prefill(p)
		r.Times.End = r.Times.FirstContent + time.Second
	}
	return r, nil
}

func (c *client) Parse(int, http.Header, io.Reader) *provider.Response { return nil }
func (c *client) Close()                                               {}

// longer counts the prompts over so many bytes.
func (c *client) longer(bytes int64) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, s := range c.sent {
		if s > bytes {
			n++
		}
	}
	return n
}

const stranger = `Dear Mrs Okafor, thank you for your letter about the broken washing machine. Our technician
will visit you on Thursday between nine and eleven. Please keep the receipt ready, and move the basket away from the
door so that he can reach the hose. We are sorry for the trouble and will refund the delivery charge to your card.`

const window = 32768

// long is the size above which a prompt of these tests is a long one: half the
// window at four bytes a token.
const long = window / 2 * 4

// newCampaign is a campaign of rounds of a probe against the client.
func newCampaign(t *testing.T, c *client, limits probes.Limits, items ...pipeline.Item) *pipeline.Campaign {
	t.Helper()
	key, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	codec := tenants.NewCodec(key)
	lookup := func(string) (string, bool) { return "key", true }
	site := &pipeline.Site{
		Target:  probes.Target{Name: "edge", API: "openai-chat", Model: "m", Window: window, MaxOutput: 1024, Loopback: true, Family: "prose"},
		Clients: map[string]provider.Client{},
	}
	for i, name := range []string{"alpha", "bravo"} {
		credential, err := tenants.NewCredential("env:KEY", ".", lookup)
		if err != nil {
			t.Fatal(err)
		}
		site.Tenants = append(site.Tenants, tenants.Tenant{Name: name, Index: uint16(i + 1), Credential: credential, Domain: name})
		site.Clients[name] = c
	}
	store := pipeline.NewRing(limits, func(string) probes.Pricing { return probes.Pricing{} })
	return &pipeline.Campaign{
		Engine: &pipeline.Engine{Codec: codec, Minter: tenants.NewMinter(codec, time.Now, nil), Store: store, Checks: checks.All(), Now: time.Now},
		Site:   site, Items: items, Seed: 1,
	}
}

func classes(outcomes []*report.Outcome) map[checks.Class]int {
	n := map[checks.Class]int{}
	for _, o := range outcomes {
		for _, x := range o.Round.Exchanges {
			n[o.Report.Verdict(x.ID)]++
		}
	}
	return n
}

// TestStrangersAreNotFarmed: after a suspected disclosure at most two more
// prompts go where it was seen, however many rounds were planned.
func TestStrangersAreNotFarmed(t *testing.T) {
	c := &client{answer: func(p *corpus.Prompt) string {
		if p.Size() > long {
			return stranger
		}
		return p.Expected()
	}}
	outcomes, err := newCampaign(t, c, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 4}, pipeline.Item{Probe: probes.Top{}, Rounds: 10}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := c.longer(long); n < 2 || n > 3 {
		t.Errorf("%d long prompts were sent, want the first and one or two confirmations", n)
	}
	got := classes(outcomes)
	if got[checks.Foreign] == 0 {
		t.Errorf("nothing was called foreign: %v", got)
	}
	if got[checks.Sound] == 0 {
		t.Errorf("the control and the pulses should be sound: %v", got)
	}
	dropped := 0
	for _, o := range outcomes {
		dropped += len(o.Dropped)
	}
	if dropped == 0 {
		t.Error("later rounds do not say that they left the cell alone")
	}
}

// TestUnreadPromptIsConfirmed: a stale text of a few words reads like a denial.
// When the prompt was not read, one more prompt finds out whose memory it was;
// when it was, the denial stands and nothing more is sent.
func TestUnreadPromptIsConfirmed(t *testing.T) {
	const big = 131072
	const long = big / 2 * 4
	for _, tc := range []struct {
		name    string
		skipped bool
		foreign int
		longest int
	}{{"not read", true, 1, 2}, {"read", false, 0, 1}} {
		t.Run(tc.name, func(t *testing.T) {
			var longer atomic.Int64
			c := &client{
				answer: func(p *corpus.Prompt) string {
					switch {
					case p.Size() <= long:
						return p.Expected()
					case longer.Add(1) == 1:
						return "There is nothing in the document."
					}
					return stranger
				},
				prefill: func(p *corpus.Prompt) time.Duration {
					if tc.skipped && p.Size() > long {
						return time.Millisecond
					}
					return time.Duration(p.Size()/4) * 50 * time.Microsecond
				},
			}
			campaign := newCampaign(t, c, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 2}, pipeline.Item{Probe: probes.Top{}, Rounds: 1})
			campaign.Site.Target.Window = big
			outcomes, err := campaign.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := classes(outcomes)
			if got[checks.Foreign] != tc.foreign || got[checks.Damaged] != 1 || int(longer.Load()) != tc.longest {
				t.Errorf("verdicts are %v after %d long prompts, want the damaged denial, %d foreign and %d prompts", got, longer.Load(), tc.foreign, tc.longest)
			}
		})
	}
}

// TestOwnLeakGoesOn: a leak of our own content harms no stranger, and its cell
// keeps running.
func TestOwnLeakGoesOn(t *testing.T) {
	var mu sync.Mutex
	other := "" // the last long prompt's answer
	c := &client{answer: func(p *corpus.Prompt) string {
		mu.Lock()
		defer mu.Unlock()
		if p.Size() <= long {
			return p.Expected()
		}
		answer := other
		other = p.Expected()
		if answer == "" {
			return p.Expected()
		}
		return answer
	}}
	outcomes, err := newCampaign(t, c, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 4}, pipeline.Item{Probe: probes.Top{}, Rounds: 5}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := c.longer(long); n != 5 {
		t.Errorf("%d long prompts were sent, want 5", n)
	}
	if got := classes(outcomes); got[checks.Leak] == 0 || got[checks.Foreign] > 0 {
		t.Errorf("verdicts are %v, want leaks and nothing foreign", got)
	}
}

// TestBudgetEndsCampaign: a cap is held, what was judged before is kept.
func TestBudgetEndsCampaign(t *testing.T) {
	c := &client{answer: func(p *corpus.Prompt) string { return p.Expected() }}
	outcomes, err := newCampaign(t, c, probes.Limits{TokensPerRun: 60000}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 1000}).Run(t.Context())
	if !errors.Is(err, probes.ErrBudget) {
		t.Fatalf("error is %v, want one that wraps ErrBudget", err)
	}
	if len(outcomes) == 0 || len(c.sent) == 0 {
		t.Fatal("nothing was sent before the cap")
	}
	var bytes int64
	for _, s := range c.sent {
		bytes += s
	}
	if bytes/4 > 60000 {
		t.Errorf("about %d tokens were sent, above the cap of 60000", bytes/4)
	}
}

// TestCancelledCampaign keeps what was judged and says why it ended.
func TestCancelledCampaign(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	c := &client{answer: func(p *corpus.Prompt) string { return p.Expected() }}
	campaign := newCampaign(t, c, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 100})
	campaign.After = func(*report.Outcome) { cancel(errors.New("the operator left")) }
	outcomes, err := campaign.Run(ctx)
	if err == nil || !strings.Contains(err.Error(), "the operator left") {
		t.Errorf("error is %v, want the cause", err)
	}
	if len(outcomes) != 1 {
		t.Errorf("%d outcomes, want the one before the end", len(outcomes))
	}
}

// TestLearnsTokens: what the first rounds teach makes the next plan exact.
func TestLearnsTokens(t *testing.T) {
	c := &client{answer: func(p *corpus.Prompt) string { return p.Expected() }}
	campaign := newCampaign(t, c, probes.Limits{}, pipeline.Item{Probe: probes.Pulse{}, Rounds: 5})
	if _, err := campaign.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	state, err := campaign.Engine.State(t.Context(), campaign.Site, uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	got := state.Calibration["prose"]
	if got.N != 10 || got.PerByte < 0.24 || got.PerByte > 0.26 {
		t.Errorf("calibration is %+v, want ten observations of a quarter token a byte", got)
	}
}

func TestRingLookback(t *testing.T) {
	ring := pipeline.NewRing(probes.Limits{}, func(string) probes.Pricing { return probes.Pricing{} })
	at := func(second uint32) probes.Bound {
		return probes.Bound{Exchange: uuid.New(), Payload: tenants.Payload{Tenant: 1, Second: second}}
	}
	old, fresh := at(1000), at(5000)
	if err := ring.Begin(t.Context(), uuid.New(), probes.Plan{}, []probes.Bound{old, fresh}); err != nil {
		t.Fatal(err)
	}
	refs, err := ring.Lookback(t.Context(), fresh.Payload.Time())
	if err != nil {
		t.Fatal(err)
	}
	if len(refs) != 1 || refs[0].Exchange != fresh.Exchange {
		t.Errorf("look-back is %v, want the fresh prompt only", refs)
	}
}
