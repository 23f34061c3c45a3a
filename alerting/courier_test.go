package alerting_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"go.uber.org/goleak"

	"crosstalk/alerting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pager is a notifier whose receiver does what the test says.
type pager struct {
	name   string
	answer func(ctx context.Context) error

	mu       sync.Mutex
	attempts []time.Time
	got      []alerting.Page
}

func (p *pager) Name() string { return p.name }

func (p *pager) Notify(ctx context.Context, page alerting.Page) error {
	p.mu.Lock()
	p.attempts = append(p.attempts, time.Now())
	p.mu.Unlock()
	if p.answer != nil {
		if err := p.answer(ctx); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got = append(p.got, page)
	return nil
}

func (p *pager) pages() []alerting.Page {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]alerting.Page(nil), p.got...)
}

func (p *pager) tries() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.attempts)
}

// until is a pager's answer that fails until a time.
func until(t time.Time, err *alerting.DeliveryError) func(context.Context) error {
	return func(context.Context) error {
		if time.Now().Before(t) {
			return err
		}
		return nil
	}
}

var down = &alerting.DeliveryError{Reason: alerting.ReasonUnavailable, Retryable: true, Err: errors.New("status 500")}

// start runs a courier in the bubble of the test.
func start(t *testing.T, c *alerting.Courier) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { c.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
}

// page is a page of an incident, by number.
func page(incident, n int) alerting.Page {
	id := func(s string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(s)) }
	return alerting.Page{
		ID: id(fmt.Sprint("page", incident, n)), At: time.Now(),
		Incident: alerting.Incident{ID: id(fmt.Sprint("incident", incident)), DedupKey: fmt.Sprint("key-", incident), Sightings: n},
	}
}

// TestPagerDown: ten minutes of 500, then well: one incident is delivered, soon.
func TestPagerDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := time.Now().Add(10 * time.Minute)
		sick := &pager{name: "sick", answer: until(up, down)}
		well := &pager{name: "well"}
		box := &alerting.MemoryOutbox{}
		c := &alerting.Courier{Outbox: box, Notifiers: []alerting.Notifier{sick, well}}
		start(t, c)
		time.Sleep(time.Second)
		box.Add([]alerting.Page{page(1, 1)}, "sick", "well")
		c.Wake()
		synctest.Wait()
		if len(well.pages()) != 1 {
			t.Fatal("the other pager has not got the page at once")
		}
		time.Sleep(15 * time.Minute)
		synctest.Wait()
		row := box.Rows("sick")[0]
		if got := len(sick.pages()); got != 1 {
			t.Fatalf("delivered %d times", got)
		}
		if late := row.Delivered.Sub(up); late < 0 || late > time.Minute {
			t.Errorf("delivered %v after the pager was up", late)
		}
		if n := sick.tries(); n < 15 || n > 60 {
			t.Errorf("%d attempts in ten minutes", n)
		}
	})
}

// TestPagerHangs: one that hangs delays nobody else, however many of its pages
// are waiting.
func TestPagerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := &pager{name: "hang", answer: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		well := &pager{name: "well"}
		box := &alerting.MemoryOutbox{}
		c := &alerting.Courier{Outbox: box, Notifiers: []alerting.Notifier{hang, well}}
		for i := range 1000 {
			box.Add([]alerting.Page{page(i, 1)}, "hang")
		}
		start(t, c)
		for i := range 50 {
			time.Sleep(10 * time.Second)
			box.Add([]alerting.Page{page(2000+i, 1)}, "hang", "well")
			c.Wake()
			synctest.Wait()
			if got := len(well.pages()); got != i+1 {
				t.Fatalf("after %d pages the well pager has %d", i+1, got)
			}
		}
		reasons := box.Rows("hang")[0].Reasons
		if len(reasons) == 0 || reasons[0] != alerting.ReasonTimeout {
			t.Errorf("reasons %v, want timeouts", reasons)
		}
	})
}

// TestDeaf: a notifier that does not heed its context is left behind.
func TestDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		deaf := &pager{name: "deaf", answer: func(context.Context) error { <-free; return nil }}
		box := &alerting.MemoryOutbox{}
		c := &alerting.Courier{Outbox: box, Notifiers: []alerting.Notifier{deaf}, Attempt: time.Minute}
		box.Add([]alerting.Page{page(1, 1)}, "deaf")
		started := time.Now()
		if err := c.DeliverDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(started); took != time.Minute {
			t.Errorf("left behind after %v", took)
		}
		close(free)
		synctest.Wait()
	})
}

// TestNeverGivenUp: a key that is refused is tried for ever, but seldom, and
// said.
func TestNeverGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var failed, delivered int
		mended := time.Now().Add(24 * time.Hour)
		p := &pager{name: "p", answer: until(mended, &alerting.DeliveryError{
			Notifier: "p", Reason: alerting.ReasonUnauthorized, Err: errors.New("status 401"),
		})}
		box := &alerting.MemoryOutbox{}
		c := &alerting.Courier{
			Outbox: box, Notifiers: []alerting.Notifier{p}, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Done: func(_ alerting.Delivery, reason string, _ time.Duration) {
				if reason == "" {
					delivered++
				} else {
					failed++
				}
			},
		}
		box.Add([]alerting.Page{page(1, 1)}, "p")
		start(t, c)
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		if len(p.pages()) != 1 {
			t.Fatal("given up")
		}
		if n := p.tries(); n < 100 || n > 200 {
			t.Errorf("%d attempts in a day", n)
		}
		if failed != p.tries()-1 || delivered != 1 {
			t.Errorf("told of %d failures and %d deliveries", failed, delivered)
		}
		if !bytes.Contains(log.Bytes(), []byte("unauthorized")) {
			t.Error("the log does not say why")
		}
	})
}

// TestOrder: the pages of an incident arrive in order, also from an outbox that
// does not keep it: a trigger after its resolution would stay for ever.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		p := &pager{name: "p", answer: func(context.Context) error {
			if n++; n <= 3 {
				return down
			}
			return nil
		}}
		box := &careless{}
		c := &alerting.Courier{Outbox: box, Notifiers: []alerting.Notifier{p}}
		box.Add([]alerting.Page{page(1, 1), page(1, 2), page(2, 1), page(1, 3)}, "p")
		start(t, c)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		var one []int
		for _, g := range p.pages() {
			if g.Incident.DedupKey == "key-1" {
				one = append(one, g.Incident.Sightings)
			}
		}
		if diff := cmp.Diff([]int{1, 2, 3}, one); diff != "" {
			t.Errorf("order of the pages of one incident:\n%s", diff)
		}
		if len(p.pages()) != 4 {
			t.Errorf("%d pages delivered, want 4", len(p.pages()))
		}
	})
}

// careless is an outbox that does not keep the pages of an incident in order.
type careless struct {
	mu   sync.Mutex
	rows []*alerting.Row
}

func (o *careless) Add(pages []alerting.Page, notifier string) {
	for _, p := range pages {
		o.rows = append(o.rows, &alerting.Row{Delivery: alerting.Delivery{Page: p, Notifier: notifier}})
	}
}

func (o *careless) Due(_ context.Context, now time.Time, n int) (due []alerting.Delivery, _ error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.rows {
		if r.Delivered.IsZero() && !r.Next.After(now) && len(due) < n {
			due = append(due, r.Delivery)
		}
	}
	return due, nil
}

func (o *careless) row(d alerting.Delivery) *alerting.Row {
	for _, r := range o.rows {
		if r.Page.ID == d.Page.ID {
			return r
		}
	}
	return nil
}

func (o *careless) Delivered(_ context.Context, d alerting.Delivery, at time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.row(d).Delivered = at
	return nil
}

func (o *careless) Failed(_ context.Context, d alerting.Delivery, _ string, next time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.row(d)
	r.Attempts++
	r.Next = next
	return nil
}

// TestRestart: a courier that is stopped in the middle leaves the page in the
// outbox, and the next one delivers it.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &pager{name: "p", answer: func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * time.Second):
				return nil
			}
		}}
		box := &alerting.MemoryOutbox{}
		box.Add([]alerting.Page{page(1, 1)}, "p")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		(&alerting.Courier{Outbox: box, Notifiers: []alerting.Notifier{slow}}).Run(ctx)
		if row := box.Rows("p")[0]; row.Attempts != 0 || !row.Delivered.IsZero() {
			t.Errorf("stopping counts as a failure: %+v", row)
		}
		if err := (&alerting.Courier{Outbox: box, Notifiers: []alerting.Notifier{slow}}).DeliverDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(slow.pages()) != 1 {
			t.Error("lost")
		}
	})
}

// TestSickOutbox: a store that cannot be read or written stops nothing.
func TestSickOutbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &sickOutbox{healthy: time.Now().Add(time.Minute)}
		box.Add([]alerting.Page{page(1, 1)}, "p")
		p := &pager{name: "p"}
		c := &alerting.Courier{Outbox: box, Notifiers: []alerting.Notifier{p}}
		if err := c.DeliverDue(t.Context()); err == nil {
			t.Error("DeliverDue hides that the outbox cannot be read")
		}
		start(t, c)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if len(p.pages()) != 1 {
			t.Errorf("delivered %d times", len(p.pages()))
		}
	})
}

type sickOutbox struct {
	alerting.MemoryOutbox
	healthy time.Time
}

func (o *sickOutbox) Due(ctx context.Context, now time.Time, n int) ([]alerting.Delivery, error) {
	if now.Before(o.healthy) {
		return nil, errors.New("disk on fire")
	}
	return o.MemoryOutbox.Due(ctx, now, n)
}

// TestPanic: a notifier that panics is one that fails.
func TestPanic(t *testing.T) {
	box := &alerting.MemoryOutbox{}
	box.Add([]alerting.Page{page(1, 1)}, "p")
	p := &pager{name: "p", answer: func(context.Context) error { panic("oops") }}
	if err := (&alerting.Courier{Outbox: box, Notifiers: []alerting.Notifier{p}}).DeliverDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if row := box.Rows("p")[0]; row.Attempts != 1 {
		t.Errorf("row %+v", row)
	}
}

// TestRefresh: a forgetful receiver is told of what is open, again and again.
func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &forgetful{pager: pager{name: "f"}}
		open := []alerting.Incident{{DedupKey: "a"}, {DedupKey: "b"}}
		c := &alerting.Courier{
			Outbox: &alerting.MemoryOutbox{}, Notifiers: []alerting.Notifier{f},
			Open: func(context.Context) ([]alerting.Incident, error) { return open, nil },
		}
		start(t, c)
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.refreshed < 9 || f.refreshed > 11 {
			t.Errorf("refreshed %d times in ten minutes, want about 10", f.refreshed)
		}
	})
}

type forgetful struct {
	pager
	refreshed int
}

func (f *forgetful) RefreshEvery() time.Duration { return time.Minute }

func (f *forgetful) Refresh(_ context.Context, open []alerting.Incident) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(open) == 2 {
		f.refreshed++
	}
	return nil
}

func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &alerting.MemoryOutbox{}
		c := &alerting.Courier{Outbox: box, Notifiers: []alerting.Notifier{&pager{name: "p"}}}
		if err := c.Stuck(time.Now()); err != nil {
			t.Errorf("before it runs: %v", err)
		}
		start(t, c)
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := c.Stuck(time.Now()); err != nil {
			t.Errorf("while it runs: %v", err)
		}
		if err := c.Stuck(time.Now().Add(time.Hour)); err == nil {
			t.Error("an hour without a round of its goroutine is not noticed")
		}
	})
}

func TestBackoff(t *testing.T) {
	var b alerting.Backoff
	retry := func(after time.Duration) *alerting.DeliveryError {
		return &alerting.DeliveryError{Retryable: true, RetryAfter: after}
	}
	tests := []struct {
		name     string
		attempts int
		err      *alerting.DeliveryError
		want     time.Duration
	}{
		{"first", 1, retry(0), time.Second},
		{"second", 2, retry(0), 2 * time.Second},
		{"fifth", 5, retry(0), 16 * time.Second},
		{"sixth", 6, retry(0), 30 * time.Second},
		{"a millionth", 1_000_000, retry(0), 30 * time.Second},
		{"none yet", 0, retry(0), time.Second},
		{"negative", -5, retry(0), time.Second},
		{"asked for", 1, retry(2 * time.Minute), 2 * time.Minute},
		{"asked for less", 6, retry(time.Second), 30 * time.Second},
		{"absurd", 1, retry(24 * time.Hour), 10 * time.Minute},
		{"hopeless", 1, &alerting.DeliveryError{}, 10 * time.Minute},
	}
	for _, tt := range tests {
		if got := b.Wait(tt.attempts, tt.err); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
