package scheduler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/checks"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

// hang waits until its round is cut short, as a target does that never answers.
func hang(ctx context.Context, target string) (*report.Outcome, error) {
	<-ctx.Done()
	return outcome(target, checks.Inconclusive, nil), nil
}

// TestHangingTargets: targets that never answer take nothing from those that
// do, and their own schedule goes on.
func TestHangingTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var entries []Entry
		for i := range 10 {
			entries = append(entries, local(fmt.Sprintf("target-%d", i), time.Second))
		}
		st := &stage{play: func(ctx context.Context, target string) (*report.Outcome, error) {
			if target < "target-6" {
				return hang(ctx, target)
			}
			return outcome(target, checks.Sound, nil), nil
		}}
		s := st.newScheduler(t, Options{}, entries...)
		stop := start(t, s)
		time.Sleep(60 * time.Second)
		for _, e := range entries {
			if n := len(st.rounds(e.Site.Target.Name)); n < 57 {
				t.Errorf("%d rounds at %s in 60 s, want 57 or more", n, e.Site.Target.Name)
			}
		}
		stop()
	})
}

// TestDeadline: a round ends before the next slot, and says so.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var lasted []time.Duration
		st := &stage{play: func(ctx context.Context, target string) (*report.Outcome, error) {
			began := time.Now()
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				lasted = append(lasted, time.Since(began))
			}()
			return hang(ctx, target)
		}}
		b := newBook(nil)
		s := st.newScheduler(t, Options{Ledger: b, MaxRound: time.Minute}, local("edge", 10*time.Second), local("slow", 10*time.Minute))
		stop := start(t, s)
		time.Sleep(21 * time.Minute)
		stop()
		short := 0
		for _, d := range lasted {
			if d > time.Minute {
				t.Errorf("a round lasted %s, above the general bound", d)
			}
			if d < 10*time.Second {
				short++
			}
		}
		if n := b.reasons("skip")[ReasonDeadline]; n != len(lasted) || short < 120 {
			t.Errorf("%d of %d rounds ended at their deadline, %d before the next slot of 10 s", n, len(lasted), short)
		}
		if n := b.reasons("skip")[ReasonOverlap]; n != 0 {
			t.Errorf("%d slots overlapped", n)
		}
	})
}

// TestPause: a pause and the stop file act within a second on what is in
// flight, and nothing more is sent until they are gone.
func TestPause(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stop")
	for name, tt := range map[string]struct {
		set    func(b *book, on bool)
		reason Reason
	}{
		"target":    {func(b *book, on bool) { b.pause("edge", on) }, ReasonPaused},
		"all":       {func(b *book, on bool) { b.pause("", on) }, ReasonPaused},
		"stop file": {func(_ *book, on bool) { stopFile(t, file, on) }, ReasonStopFile},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ended time.Time
				st := &stage{play: func(ctx context.Context, target string) (*report.Outcome, error) {
					if target != "edge" {
						return outcome(target, checks.Sound, nil), nil
					}
					defer func() { ended = time.Now() }()
					return hang(ctx, target)
				}}
				b := newBook(nil)
				control := local("null", 10*time.Second)
				control.Control = true
				s := st.newScheduler(t, Options{Ledger: b, StopFile: file}, local("edge", 10*time.Second), local("other", time.Hour), control)
				stop := start(t, s)
				time.Sleep(10 * time.Minute)
				for n := len(st.rounds("edge")); len(st.rounds("edge")) == n; {
					time.Sleep(100 * time.Millisecond)
				}
				if !s.Standing("pulse", "edge").Running {
					t.Error("a round in flight does not count as running")
				}
				tt.set(b, true)
				at, before := time.Now(), b.reasons("skip")[tt.reason]
				time.Sleep(time.Second)
				synctest.Wait()
				if took := ended.Sub(at); took < 0 || took > time.Second {
					t.Errorf("the round ended %s after the pause, want within a second", took)
				}
				if got := b.reasons("skip")[tt.reason]; got != before+1 {
					t.Errorf("%d rounds are recorded as cut short, want one", got-before)
				}
				n, controls := len(st.rounds("edge")), len(st.rounds("null"))
				time.Sleep(10 * time.Minute)
				if got := len(st.rounds("null")); got < controls+59 {
					t.Errorf("%d rounds of a control began during the pause, want 60", got-controls)
				}
				if got := len(st.rounds("edge")); got != n {
					t.Errorf("%d rounds began during the pause", got-n)
				}
				tt.set(b, false)
				time.Sleep(time.Minute)
				if got := len(st.rounds("edge")); got < n+5 {
					t.Errorf("%d rounds began in the minute after the pause, want 5 or more", got-n)
				}
				stop()
			})
		})
	}
}

func stopFile(t *testing.T, path string, on bool) {
	t.Helper()
	err := os.Remove(path)
	if on {
		err = os.WriteFile(path, nil, 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestStop: a stop lets rounds in flight end within the grace, and cuts short
// and records what does not.
func TestStop(t *testing.T) {
	for name, tt := range map[string]struct {
		lasts time.Duration
		want  map[Reason]int
	}{
		"ends in time": {10 * time.Second, map[Reason]int{}},
		"is cut":       {time.Hour, map[Reason]int{ReasonInterrupted: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := &stage{play: func(ctx context.Context, target string) (*report.Outcome, error) {
					select {
					case <-time.After(tt.lasts):
					case <-ctx.Done():
					}
					return outcome(target, checks.Sound, nil), nil
				}}
				b := newBook(nil)
				s := st.newScheduler(t, Options{Ledger: b}, local("edge", 2*time.Hour))
				stop := start(t, s)
				for len(st.rounds("")) == 0 {
					time.Sleep(time.Second)
				}
				began := time.Now()
				stop()
				if took := time.Since(began); took > DefaultGrace+time.Second {
					t.Errorf("the stop took %s", took)
				}
				if diff := cmp.Diff(tt.want, b.reasons("skip")); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestOverlap: a schedule has one round at a time, whatever hands out turns.
func TestOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, most := 0, 0
		st := &stage{play: func(ctx context.Context, target string) (*report.Outcome, error) {
			at++
			most = max(most, at)
			defer func() { at-- }()
			time.Sleep(time.Minute)
			return outcome(target, checks.Sound, nil), nil
		}}
		b := newBook(nil)
		e := local("edge", time.Hour)
		s := st.newScheduler(t, Options{Ledger: b}, e)
		for i, extra := range []string{"", "", "deploy", ""} {
			go s.turn(t.Context(), turnArgs{Probe: "pulse", Target: "edge", Slot: time.Now(), Extra: extra}, i)
			synctest.Wait()
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if most != 1 {
			t.Errorf("%d rounds of one schedule at once", most)
		}
		if diff := cmp.Diff(map[Reason]int{ReasonOverlap: 2}, b.reasons("skip")); diff != "" {
			t.Error(diff)
		}
		if n := len(st.rounds("")); n != 2 {
			t.Errorf("%d rounds, want the first and the extra one", n)
		}
	})
}

// TestLongPrompts: at most one run has a prompt above 128k at a target. The
// others wait for it, or give up.
func TestLongPrompts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := probes.Plan{Steps: []probes.Step{{Intents: []probes.Intent{{Tokens: probes.LongPrompt + 1}}}}}
		var mu sync.Mutex
		at, most := map[string]int{}, 0
		b := newBook(nil)
		var entries []Entry
		for _, name := range []string{"top", "seedwatch", "ladder"} {
			e := local("edge", time.Hour)
			e.Name = name
			entries = append(entries, e)
		}
		entries = append(entries, local("other", time.Hour))
		s := (&stage{}).newScheduler(t, Options{Ledger: b}, entries...)
		s.rounds = func(ctx context.Context, r *run, e *Entry, _ *pipeline.Site, _ probes.Probe) ([]*report.Outcome, error) {
			s.takeLong(ctx, r, plan)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			target := e.Site.Target.Name
			mu.Lock()
			at[target]++
			most = max(most, at[target])
			mu.Unlock()
			time.Sleep(20 * time.Minute)
			mu.Lock()
			at[target]--
			mu.Unlock()
			return []*report.Outcome{outcome(target, checks.Sound, nil)}, nil
		}
		began := time.Now()
		for _, e := range entries {
			name := e.Name
			if name == "" {
				name = "pulse"
			}
			go s.turn(t.Context(), turnArgs{Probe: name, Target: e.Site.Target.Name, Slot: began}, 1)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if most != 1 {
			t.Errorf("%d long prompts in flight at one target", most)
		}
		if diff := cmp.Diff(map[Reason]int{ReasonLong: 1}, b.reasons("skip")); diff != "" {
			t.Error(diff)
		}
	})
}

// TestReasons: each way a round does not take place has its reason, and a
// callback and an event say it.
func TestReasons(t *testing.T) {
	tests := map[string]struct {
		args   turnArgs
		entry  func(e *Entry)
		play   func(ctx context.Context, target string) (*report.Outcome, error)
		want   Reason
		rounds int
	}{
		"budget": {play: fails(fmt.Errorf("reserve: %w", probes.ErrBudget)), want: ReasonBudget},
		"permit": {play: fails(fmt.Errorf("target edge: %w: burst", probes.ErrNotAllowed)), want: ReasonNotAllowed},
		"plan":   {play: fails(&planError{errors.New("it has no window")}), want: ReasonPlan},
		"ledger": {play: fails(errors.New("disk full")), want: ReasonLedger},
		"panic":  {play: func(context.Context, string) (*report.Outcome, error) { panic("secret") }, want: ReasonPanic},
		"stopped cell": {
			play: func(context.Context, string) (*report.Outcome, error) {
				return &report.Outcome{Round: &probes.Round{}, Dropped: []probes.Intent{{}}}, nil
			},
			want: ReasonStopped,
		},
		"removed": {args: turnArgs{Probe: "top", Target: "edge"}, want: ReasonRemoved},
		"late":    {args: turnArgs{Probe: "pulse", Target: "edge", Slot: time.Now().Add(-time.Hour)}, want: ReasonLate},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			counted := map[Reason]int{}
			b := newBook(nil)
			st := &stage{play: tt.play}
			s := st.newScheduler(t, Options{Ledger: b, Hooks: Hooks{
				Skipped: func(_, _ string, r Reason, n int) { counted[r] += n },
			}}, local("edge", time.Hour))
			if tt.args.Probe == "" {
				tt.args = turnArgs{Probe: "pulse", Target: "edge", Slot: time.Now()}
			}
			s.turn(t.Context(), tt.args, 1)
			want := map[Reason]int{tt.want: 1}
			if diff := cmp.Diff(want, counted); diff != "" {
				t.Errorf("counted: %s", diff)
			}
			if diff := cmp.Diff(want, b.reasons("skip")); diff != "" {
				t.Errorf("recorded: %s", diff)
			}
			for _, e := range b.events {
				if e.Detail == "" || tt.want == ReasonPanic && e.Detail != "the round panicked: string" {
					t.Errorf("the detail is %q", e.Detail)
				}
			}
		})
	}
}

func fails(err error) func(context.Context, string) (*report.Outcome, error) {
	return func(context.Context, string) (*report.Outcome, error) { return nil, err }
}

// TestReload keeps slots, drops what is gone, and retires a site when its last
// round has ended.
func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var retired []string
		release := make(chan struct{})
		st := &stage{play: func(_ context.Context, target string) (*report.Outcome, error) {
			if target == "gone" {
				<-release
			}
			return outcome(target, checks.Sound, nil), nil
		}}
		stays, gone := local("stays", time.Minute), local("gone", 10*time.Second)
		cronSpec := Spec{Cron: "30 9 * * *", Timezone: "Europe/Berlin"}
		daily := stays
		daily.Name, daily.Schedule = "daily", mustParse(t, cronSpec)
		s := st.newScheduler(t, Options{Hooks: Hooks{
			Retired: func(site *pipeline.Site) { retired = append(retired, site.Target.Name) },
		}}, stays, gone, daily)
		stop := start(t, s)
		time.Sleep(30 * time.Second)
		next, ok := s.Next("pulse", "stays")
		if !ok {
			t.Fatal("no next slot")
		}
		if err := s.Reload([]Entry{stays, stays}, nil); err == nil {
			t.Error("the same schedule twice is accepted")
		}
		daily.Schedule = mustParse(t, cronSpec)
		track := s.tracks[daily.key()]
		last := track.last
		if err := s.Reload([]Entry{stays, daily, local("new", time.Minute)}, nil); err != nil {
			t.Fatal(err)
		}
		if !track.last.Equal(last) {
			t.Error("a schedule that says the same begins anew")
		}
		if got, _ := s.Next("pulse", "stays"); !got.Equal(next) {
			t.Errorf("next slot moved from %s to %s", next, got)
		}
		if _, ok := s.Next("pulse", "gone"); ok {
			t.Error("what is gone still has a next slot")
		}
		n := len(st.rounds("gone"))
		if len(retired) != 0 || n == 0 {
			t.Errorf("%v retired with a round in flight, after %d rounds", retired, n)
		}
		close(release)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]string{"gone"}, retired); diff != "" {
			t.Error(diff)
		}
		if len(st.rounds("gone")) != n || len(st.rounds("new")) == 0 {
			t.Errorf("rounds after the reload: %d of what is gone, %d of what is new", len(st.rounds("gone"))-n, len(st.rounds("new")))
		}
		stop()
	})
}

// TestDeployed: a deploy is followed by a cold top round at once, though its
// slot is hours away, and by no other.
func TestDeployed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cold []int
		top := local("edge", 5*time.Hour)
		top.Probe = probes.Top{ColdEvery: 7}
		pulse := local("edge", 5*time.Hour)
		s := (&stage{}).newScheduler(t, Options{}, top, pulse)
		s.rounds = func(_ context.Context, _ *run, e *Entry, _ *pipeline.Site, p probes.Probe) ([]*report.Outcome, error) {
			if top, ok := p.(seeded).Probe.(probes.Top); ok {
				cold = append(cold, top.ColdEvery)
			}
			return []*report.Outcome{outcome("edge", checks.Sound, nil)}, nil
		}
		stop := start(t, s)
		time.Sleep(time.Second)
		before, _ := s.Next("pulse", "edge")
		if err := s.Deployed(t.Context(), "edge"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if diff := cmp.Diff([]int{0}, cold); diff != "" {
			t.Error(diff)
		}
		if after, _ := s.Next("pulse", "edge"); !after.Equal(before) {
			t.Error("the deploy moved a schedule")
		}
		if err := s.Deployed(t.Context(), "nowhere"); err == nil {
			t.Error("a target that is not there can be deployed")
		}
		stop()
	})
}

// TestReasonsListed: Reasons lists every constant of its type.
func TestReasonsListed(t *testing.T) {
	source, err := os.ReadFile("reason.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\tReason\w+ +(?:Reason )?= "([a-z-]+)"`).FindAllSubmatch(source, -1)
	if len(declared) < 20 {
		t.Fatalf("%d constants found, want all", len(declared))
	}
	listed := map[Reason]bool{}
	for _, r := range Reasons() {
		listed[r] = true
	}
	for _, d := range declared {
		if !listed[Reason(d[1])] {
			t.Errorf("%s is not listed", d[1])
		}
	}
}
