package scheduler

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

var noon = time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC) // a Wednesday

// stepped runs the slots of a day at an interval against rules alone and counts
// the rounds of each hour. answer says what the target says to a round.
func stepped(e Entry, every time.Duration, hours int, answer func(at time.Time) *provider.Failure) []int {
	r := newRules()
	e.Name = "pulse"
	n := make([]int, hours)
	for i := range hours {
		for at := time.Duration(0); at < time.Hour; at += every {
			now := noon.Add(time.Duration(i)*time.Hour + at)
			if r.admit(&e, now, false) != nil {
				continue
			}
			n[i]++
			r.started(e.key())
			failure := answer(now)
			class := checks.Sound
			if failure != nil {
				class = checks.Inconclusive
			}
			r.learn(e.key(), outcome("edge", class, failure), now)
		}
	}
	return n
}

// TestBackoff: a target that always asks for less is asked at least ten times
// less from the first hour on, and comes back slowly once it does not.
func TestBackoff(t *testing.T) {
	e := local("edge", time.Minute)
	always := func(kind provider.FailureKind) func(time.Time) *provider.Failure {
		return func(time.Time) *provider.Failure { return &provider.Failure{Kind: kind} }
	}
	for _, kind := range []provider.FailureKind{provider.FailureRateLimit, provider.FailureOverload} {
		for every, before := range map[time.Duration]int{time.Minute: 60, 30 * time.Second: 120, 5 * time.Second: 720} {
			for hour, n := range stepped(e, every, 6, always(kind)) {
				if n*10 > before || n == 0 {
					t.Errorf("%s every %s: %d rounds in hour %d, want some and at most a tenth of %d", kind, every, n, hour, before)
				}
			}
		}
	}
	if got := stepped(e, time.Minute, 3, always(provider.FailureServer)); !cmp.Equal(got, []int{60, 60, 60}) {
		t.Errorf("a target that is merely broken is asked %v times an hour, want 60", got)
	}

	// One busy hour, then calm: 2 rounds at each of the strides 32 to 2 take
	// 124 slots.
	got := stepped(e, time.Minute, 5, func(at time.Time) *provider.Failure {
		if at.Before(noon.Add(time.Hour)) {
			return &provider.Failure{Kind: provider.FailureRateLimit}
		}
		return nil
	})
	if got[1] > 10 || got[2] >= 40 || got[4] != 60 {
		t.Errorf("after a busy hour there are %v rounds an hour, want a slow return to 60", got)
	}
}

func TestRetryAfter(t *testing.T) {
	r, e, other := newRules(), local("edge", time.Minute), local("other", time.Minute)
	e.Name, other.Name = "pulse", "pulse"
	top := e
	top.Name = "top"
	r.learn(e.key(), outcome("edge", checks.Inconclusive, &provider.Failure{Kind: provider.FailureOverload, RetryAfter: 10 * time.Minute}), noon)
	for _, tt := range []struct {
		e     *Entry
		after time.Duration
		extra bool
		want  Reason
	}{
		{&top, 9 * time.Minute, false, ReasonBackoff},
		{&top, 9 * time.Minute, true, ReasonBackoff}, // a deploy does not overrule the target
		{&other, time.Minute, false, ""},
		{&top, 10 * time.Minute, false, ""},
		{&e, 10 * time.Minute, true, ""}, // but the halved cadence
		{&e, 10 * time.Minute, false, ReasonBackoff},
		{&e, 11 * time.Minute, false, ""},
	} {
		if got := reasonOf(r.admit(tt.e, noon.Add(tt.after), tt.extra)); got != tt.want {
			t.Errorf("%s of %s after %s (extra %t) is skipped for %q, want %q", tt.e.Name, tt.e.Site.Target.Name, tt.after, tt.extra, got, tt.want)
		}
	}
}

func reasonOf(s *skip) Reason {
	if s == nil {
		return ""
	}
	return s.reason
}

func TestAdmit(t *testing.T) {
	authorization := probes.Authorization{Basis: probes.BasisContract, Reference: "CHG-1", Contact: "oncall", Expires: noon.AddDate(0, 1, 0)}
	quiet := func(text, zone string) Quiet {
		q, err := ParseQuiet(text, zone)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	tests := map[string]struct {
		change func(e *Entry)
		silent Silence
		now    time.Time
		want   Reason
	}{
		"fine":                     {want: ""},
		"expired":                  {now: authorization.Expires, want: ReasonUnauthorized},
		"no authorization":         {change: func(e *Entry) { e.Site.Target.Authorization = probes.Authorization{} }, want: ReasonUnauthorized},
		"quiet":                    {change: func(e *Entry) { e.Quiet = []Quiet{quiet("12:00-13:00", "")} }, want: ReasonQuiet},
		"quiet is over":            {change: func(e *Entry) { e.Quiet = []Quiet{quiet("11:00-12:00", "")} }},
		"quiet over midnight":      {change: func(e *Entry) { e.Quiet = []Quiet{quiet("22:00-06:00", "")} }, now: noon.Add(17 * time.Hour), want: ReasonQuiet},
		"quiet elsewhere":          {change: func(e *Entry) { e.Quiet = []Quiet{quiet("13:00-14:00", "Europe/Berlin")} }, want: ReasonQuiet},
		"quiet on other days":      {change: func(e *Entry) { e.Quiet = []Quiet{quiet("sat,sun 00:00-24:00", "")} }},
		"quiet on this day":        {change: func(e *Entry) { e.Quiet = []Quiet{quiet("wed 00:00-24:00", "")} }, want: ReasonQuiet},
		"quiet since the day past": {change: func(e *Entry) { e.Quiet = []Quiet{quiet("tue 20:00-13:00", "")} }, want: ReasonQuiet},
		"silence":                  {silent: Silence{"edge", noon, noon.Add(time.Hour), "move"}, want: ReasonSilence},
		"silence of all":           {silent: Silence{"", noon, noon.Add(time.Hour), "move"}, want: ReasonSilence},
		"silence of another":       {silent: Silence{"other", noon, noon.Add(time.Hour), "move"}},
		"silence is over":          {silent: Silence{"edge", noon.Add(-time.Hour), noon, "move"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r, e := newRules(), local("edge", time.Minute)
			e.Site.Target.Loopback, e.Site.Target.Authorization = false, authorization
			if tt.change != nil {
				tt.change(&e)
			}
			if tt.now.IsZero() {
				tt.now = noon
			}
			r.silence([]Silence{tt.silent})
			if got := reasonOf(r.admit(&e, tt.now, false)); got != tt.want {
				t.Errorf("skipped for %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseQuietRefuses(t *testing.T) {
	for _, text := range []string{"", "22:00", "22:00-", "9:00-10:00", "10:00-10:00", "24:00-06:00", "25:00-26:00", "someday 10:00-11:00", "mon tue 10:00-11:00"} {
		if q, err := ParseQuiet(text, ""); err == nil {
			t.Errorf("ParseQuiet(%q) is %+v, want an error", text, q)
		}
	}
	if _, err := ParseQuiet("10:00-11:00", "Mars/Olympus"); err == nil {
		t.Error("an unknown zone is accepted")
	}
}

// TestRefusedTenant: a tenant that is refused rests, longer each time, and is
// forgiven when it is served or a person says so.
func TestRefusedTenant(t *testing.T) {
	all := []tenants.Tenant{{Name: "alpha"}, {Name: "bravo"}}
	k := key{"pulse", "edge"}
	for _, kind := range []provider.FailureKind{provider.FailureAuth, provider.FailurePayment, provider.FailureQuota} {
		r := newRules()
		refuse := func(now time.Time) int {
			return len(r.learn(k, outcome("edge", checks.Inconclusive, &provider.Failure{Kind: kind}), now))
		}
		left := func(now time.Time) int { return len(r.tenants("edge", all, now)) }
		if kind == provider.FailureAuth { // the key is read anew
			if n := refuse(noon.Add(-time.Minute)); n != 0 || left(noon) != 2 {
				t.Errorf("a tenant is left out although its key may have been rotated")
			}
		}
		if n := refuse(noon); n != 1 {
			t.Fatalf("%s: %d tenants are said to be stopped, want 1", kind, n)
		}
		if refuse(noon.Add(time.Second)) != 0 {
			t.Errorf("%s: a stopped tenant is said to be stopped again", kind)
		}
		if left(noon.Add(59*time.Minute)) != 1 || left(noon.Add(time.Hour)) != 2 {
			t.Errorf("%s: the tenant does not rest for an hour", kind)
		}
		refuse(noon.Add(time.Hour))
		if left(noon.Add(2*time.Hour+59*time.Minute)) != 1 || left(noon.Add(3*time.Hour)) != 2 {
			t.Errorf("%s: refused again the tenant does not rest for two hours", kind)
		}
		if len(r.tenants("other", all, noon)) != 2 {
			t.Errorf("%s: the tenant is left out at another target", kind)
		}
		refuse(noon.Add(3 * time.Hour))
		r.forgive("edge")
		if left(noon.Add(3*time.Hour)) != 2 {
			t.Errorf("%s: the tenant still rests after it was forgiven", kind)
		}
	}
}

func TestSurgeIsGated(t *testing.T) {
	owner := probes.Authorization{Basis: probes.BasisOwner, Reference: "CHG-1", Contact: "oncall", Expires: noon.AddDate(1, 0, 0)}
	contract := owner
	contract.Basis = probes.BasisContract
	tests := []struct {
		class checks.Class
		auth  probes.Authorization
		want  bool
	}{
		{checks.Leak, owner, true},
		{checks.Damaged, owner, true},
		{checks.Foreign, owner, false},
		{checks.Inconclusive, owner, false},
		{checks.Degraded, owner, false},
		{checks.Sound, owner, false},
		{checks.Leak, contract, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %s", tt.class, tt.auth.Basis), func(t *testing.T) {
			r, e := newRules(), local("edge", time.Minute)
			e.Site.Target.Loopback, e.Site.Target.Authorization = false, tt.auth
			o := outcome("edge", tt.class, nil)
			if got := r.surge(&e, o, noon); got != tt.want {
				t.Errorf("surge is %t, want %t", got, tt.want)
			}
			if r.surge(&e, o, noon.Add(59*time.Minute)) {
				t.Error("a second surge within the hour")
			}
			if got := r.surge(&e, o, noon.Add(time.Hour)); got != tt.want {
				t.Errorf("surge is %t after an hour, want %t", got, tt.want)
			}
		})
	}
}

// TestSurgeMixed: a stranger's content beside a leak of our own is enough to
// ask no more.
func TestSurgeMixed(t *testing.T) {
	e := local("edge", time.Minute)
	o := outcome("edge", checks.Leak, nil)
	o.Report.Verdicts = append(o.Report.Verdicts, checks.Verdict{Class: checks.Foreign})
	if newRules().surge(&e, o, noon) {
		t.Error("a round with a stranger's content in it is followed by a surge")
	}
	o.Report.Verdicts[1].Class = checks.Inconclusive
	if !newRules().surge(&e, o, noon) {
		t.Error("a leak beside an undecided exchange is not followed by a surge")
	}
}

// TestSurgeRounds: a finding is followed by three more rounds at once; what
// suspects a stranger's content or says nothing ends it.
func TestSurgeRounds(t *testing.T) {
	for name, tt := range map[string]struct {
		classes []checks.Class
		want    int
	}{
		"damage":               {[]checks.Class{checks.Damaged, checks.Damaged, checks.Sound, checks.Damaged, checks.Damaged}, 4},
		"leak":                 {[]checks.Class{checks.Leak, checks.Leak, checks.Leak, checks.Leak, checks.Leak}, 4},
		"ends at a suspicion":  {[]checks.Class{checks.Leak, checks.Foreign, checks.Leak}, 2},
		"ends without an idea": {[]checks.Class{checks.Leak, checks.Inconclusive, checks.Leak}, 2},
		"none":                 {[]checks.Class{checks.Inconclusive, checks.Damaged}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			st := &stage{play: func(_ context.Context, target string) (*report.Outcome, error) {
				n++
				return outcome(target, tt.classes[n-1], nil), nil
			}}
			s := st.newScheduler(t, Options{}, local("edge", time.Hour))
			s.turn(t.Context(), turnArgs{Probe: "pulse", Target: "edge", Slot: time.Now()}, 1)
			if n != tt.want {
				t.Errorf("%d rounds, want %d", n, tt.want)
			}
		})
	}
}

// TestCold: the first long rounds after a start, a deploy or a change of
// identity are cold, until one was decided.
func TestCold(t *testing.T) {
	r, k := newRules(), key{"top", "edge"}
	want := func(when string, cold bool) {
		t.Helper()
		if r.cold(k) != cold {
			t.Errorf("%s the next round is cold: %t, want %t", when, !cold, cold)
		}
	}
	want("at the start", true)
	r.learn(k, outcome("edge", checks.Inconclusive, nil), noon)
	want("after an undecided round", true)
	r.learn(k, outcome("edge", checks.Sound, nil), noon)
	want("after a cold round", false)
	r.deploy("edge", noon)
	want("after a deploy", true)
	if got := r.deployedUntil("edge"); !got.Equal(noon.Add(DeployWindow)) {
		t.Errorf("the window after the deploy ends at %s", got)
	}
	r.learn(k, outcome("edge", checks.Sound, nil), noon)
	o := outcome("edge", checks.Degraded, nil)
	o.Report.Findings = []checks.Finding{{Check: "identity"}}
	r.learn(k, o, noon)
	want("after a change of identity", true)
}
