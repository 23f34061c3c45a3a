package scheduler

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// client answers in process as the test tells it to.
type client struct {
	mu     sync.Mutex
	sent   int
	answer func(ctx context.Context, p *corpus.Prompt) *provider.Response
}

func (c *client) Do(ctx context.Context, req *provider.Request) (*provider.Response, error) {
	c.mu.Lock()
	c.sent++
	c.mu.Unlock()
	p := req.Prompt.(*corpus.Prompt)
	r := c.answer(ctx, p)
	prompt, completion := int(p.Size())/4+10, 100
	total := prompt + completion
	r.Header, r.ID, r.Model = http.Header{}, uuid.NewString(), req.Model
	r.Usage = &provider.Usage{Prompt: &prompt, Completion: &completion, Total: &total}
	r.Times = provider.Times{FirstContent: time.Second, End: 2 * time.Second}
	return r, nil
}

func (c *client) Parse(int, http.Header, io.Reader) *provider.Response { return nil }
func (c *client) Close()                                               {}

func (c *client) requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent
}

func right(_ context.Context, p *corpus.Prompt) *provider.Response {
	return &provider.Response{Status: 200, Content: p.Expected(), FinishReason: "stop"}
}

func refuses(status int, kind provider.FailureKind) func(context.Context, *corpus.Prompt) *provider.Response {
	return func(context.Context, *corpus.Prompt) *provider.Response {
		return &provider.Response{Status: status, Failure: &provider.Failure{Kind: kind}}
	}
}

const stranger = `Dear Mrs Okafor, thank you for your letter about the broken washing machine. Our technician
will visit you on Thursday between nine and eleven. Please keep the receipt ready, and move the basket away from the
door so that he can reach the hose. We are sorry for the trouble and will refund the delivery charge to your card.`

// real is a scheduler whose rounds go all the way to two clients, one for each
// tenant, both played by c.
func real(t *testing.T, b *book, c *client, limits probes.Limits, hooks Hooks, entries ...Entry) *Scheduler {
	t.Helper()
	key, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		site := e.Site
		site.Target.API, site.Target.Model, site.Target.Family, site.Target.MaxOutput = "openai-chat", "m", "prose", 1024
		site.Clients = map[string]provider.Client{}
		for j := range site.Tenants {
			credential, err := tenants.NewCredential("env:KEY", ".", func(string) (string, bool) { return "key", true })
			if err != nil {
				t.Fatal(err)
			}
			site.Tenants[j].Credential, site.Tenants[j].Domain = credential, site.Tenants[j].Name
			site.Clients[site.Tenants[j].Name] = c
		}
		entries[i].Site = site
	}
	codec := tenants.NewCodec(key)
	s, err := New(Options{
		Ledger: b, Instance: "test", Hooks: hooks,
		Engine: &pipeline.Engine{
			Codec: codec, Minter: tenants.NewMinter(codec, time.Now, nil), Checks: checks.All(), Now: time.Now,
			Store: pipeline.NewRing(limits, func(string) probes.Pricing { return probes.Pricing{} }),
		},
	}, entries)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// later moves the fake clock to when markers can be minted.
func later() { time.Sleep(time.Until(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))) }

// TestRealRounds: a day in the life of a healthy target, and one that asks for
// less: a tenth of the requests or fewer.
func TestRealRounds(t *testing.T) {
	count := func(answer func(context.Context, *corpus.Prompt) *provider.Response) (requests int, classes map[checks.Class]int) {
		synctest.Test(t, func(t *testing.T) {
			later()
			classes = map[checks.Class]int{}
			c := &client{answer: answer}
			hooks := Hooks{Outcome: func(o *report.Outcome) { classes[o.Report.Class()]++ }}
			s := real(t, newBook(nil), c, probes.Limits{}, hooks, local("edge", time.Minute))
			stop := start(t, s)
			time.Sleep(time.Hour)
			stop()
			requests = c.requests()
		})
		return requests, classes
	}
	healthy, classes := count(right)
	if healthy < 118 || healthy > 122 {
		t.Errorf("%d requests an hour, want two a minute", healthy)
	}
	if len(classes) != 1 || classes[checks.Sound] == 0 {
		t.Errorf("a healthy target's rounds are %v", classes)
	}
	if busy, _ := count(refuses(429, provider.FailureRateLimit)); busy*10 > healthy || busy == 0 {
		t.Errorf("%d requests an hour to a target that answers 429, want at most a tenth of %d", busy, healthy)
	}
}

// TestRealRefusal: a tenant whose key is refused is left out and named, the
// rest goes on.
func TestRealRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later()
		refused := map[string]int{}
		c := &client{answer: right}
		no := &client{answer: refuses(401, provider.FailureAuth)}
		b := newBook(nil)
		s := real(t, b, c, probes.Limits{}, Hooks{Refused: func(target, tenant, said string) {
			if !strings.Contains(said, "401") {
				t.Errorf("the target is said to have said %q", said)
			}
			refused[target+" "+tenant]++
		}}, local("edge", time.Minute))
		s.entries[key{"pulse", "edge"}].Site.Clients["bravo"] = no
		stop := start(t, s)
		time.Sleep(50 * time.Minute)
		if diff := cmp.Diff(map[string]int{"edge bravo": 1}, refused); diff != "" {
			t.Error(diff)
		}
		if no.requests() != 2 || c.requests() < 49 {
			t.Errorf("%d requests of the refused tenant and %d of the other, want two and one a minute", no.requests(), c.requests())
		}
		if got := s.Standing("pulse", "edge").RefusedTenants; len(got) != 1 {
			t.Errorf("refused tenants are %v", got)
		}
		b.pause("edge", true)
		time.Sleep(2 * time.Second)
		b.pause("edge", false)
		time.Sleep(2 * time.Minute)
		if n := no.requests(); n < 3 {
			t.Errorf("%d requests of the refused tenant, want a further one after the target was resumed", n)
		}
		stop()
	})
}

// TestRealDisclosure: after a suspected disclosure two confirmations are sent
// at most, no surge, and then the cell is left alone.
func TestRealDisclosure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later()
		c := &client{answer: func(_ context.Context, p *corpus.Prompt) *provider.Response {
			return &provider.Response{Status: 200, Content: stranger, FinishReason: "stop"}
		}}
		b := newBook(nil)
		e := local("edge", time.Minute)
		e.Site.Tenants = e.Site.Tenants[:1]
		s := real(t, b, c, probes.Limits{}, Hooks{}, e)
		stop := start(t, s)
		time.Sleep(time.Hour)
		stop()
		if n := c.requests(); n < 2 || n > 3 {
			t.Errorf("%d requests in an hour of disclosure, want the first and one or two confirmations", n)
		}
		if n := b.reasons("skip")[ReasonStopped]; n < 50 {
			t.Errorf("%d slots are skipped because the cell is stopped, want nearly all", n)
		}
	})
}

// TestRealPause: a pause reaches the request that is in flight.
func TestRealPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later()
		var cut time.Time
		c := &client{answer: func(ctx context.Context, _ *corpus.Prompt) *provider.Response {
			<-ctx.Done()
			cut = time.Now()
			return &provider.Response{Failure: &provider.Failure{Kind: provider.FailureCancelled}}
		}}
		b := newBook(nil)
		s := real(t, b, c, probes.Limits{}, Hooks{}, local("edge", time.Hour))
		stop := start(t, s)
		for c.requests() == 0 {
			time.Sleep(time.Second)
		}
		at := time.Now()
		b.pause("", true)
		time.Sleep(time.Second)
		synctest.Wait()
		if took := cut.Sub(at); took < 0 || took > time.Second || c.requests() != 1 {
			t.Errorf("the request was cut %s after the pause, %d were sent; want one, cut within a second", took, c.requests())
		}
		if n := b.reasons("skip")[ReasonPaused]; n != 1 {
			t.Errorf("%d rounds are recorded as paused, want 1", n)
		}
		stop()
	})
}

// TestRealSkips: a cap that is reached and tenants that are gone are reasons,
// not errors.
func TestRealSkips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later()
		b := newBook(nil)
		c := &client{answer: right}
		s := real(t, b, c, probes.Limits{TokensPerRun: 30_000}, Hooks{}, local("edge", time.Minute))
		stop := start(t, s)
		time.Sleep(time.Hour)
		stop()
		if n := b.reasons("skip")[ReasonBudget]; n < 30 || c.requests() == 0 {
			t.Errorf("%d slots are skipped for the budget after %d requests", n, c.requests())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		later()
		b := newBook(nil)
		e := local("edge", time.Minute)
		e.Probe = probes.SeedWatch{}
		c := &client{answer: refuses(402, provider.FailurePayment)}
		s := real(t, b, c, probes.Limits{}, Hooks{}, e)
		stop := start(t, s)
		time.Sleep(30 * time.Minute)
		stop()
		if n := b.reasons("skip")[ReasonTenant]; n < 25 || c.requests() > 2 {
			t.Errorf("%d slots are skipped for lack of tenants after %d requests", n, c.requests())
		}
	})
}
