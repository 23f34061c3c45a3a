//go:build long

package suite

import (
	"flag"
	"math"
	"strings"
	"testing"
	"time"

	"crosstalk/bench/engine"
	"crosstalk/internal/report"
	"crosstalk/internal/stats"
)

var (
	exchanges = flag.Int("exchanges", 3000, "exchanges of TestLongClean on the patched server; the sound one gets 5/3 of it")
	cleanTime = flag.Duration("clean.time", 6*time.Hour, "after this long TestLongClean begins nothing new")
)

// shortWindow is the window of one of four slots, short so that thousands of
// exchanges take minutes: nearly all have 180 to 600 tokens, those at the top up to
// 750. shortPool is as much of it as the pool of the incident was.
const (
	shortWindow = 1024
	shortPool   = shortWindow * 65 / 100
	shortFlag   = "4096" // the context that four slots share
)

// add sums counts up.
func add(sum *report.Counts, c report.Counts) {
	sum.Sent += c.Sent
	sum.Decided += c.Decided
	sum.Sound += c.Sound
	sum.Degraded += c.Degraded
	sum.Damaged += c.Damaged
	sum.Foreign += c.Foreign
	sum.Leak += c.Leak
	sum.Inconclusive += c.Inconclusive
}

// rates says what counts amount to, each with its interval of 95 %.
func rates(t *testing.T, name string, c report.Counts) {
	t.Helper()
	found := stats.ClopperPearson(c.Leak+c.Foreign, c.Decided, 0.95)
	damage := stats.ClopperPearson(c.Damaged, c.Decided, 0.95)
	t.Logf("%s: %d exchanges, %d decided: %d leak, %d foreign (rate %.4f to %.4f), %d damaged (rate %.4f to %.4f), %d undecided; without a finding the rate is below %.5f",
		name, c.Sent, c.Decided, c.Leak, c.Foreign, found.Low, found.High, c.Damaged, damage.Low, damage.High,
		c.Inconclusive, stats.UpperBound(c.Decided, 0.05))
}

// TestLongClean asks the sound server and the patched one, with no fault on, both
// at once, thousands of short exchanges: nothing may be found. The same command
// finds the fault when it is on.
func TestLongClean(t *testing.T) {
	command := strings.Fields("validate --only pulse=100,burst=4,seedwatch=20,top=20")
	t.Run("clean", func(t *testing.T) {
		t.Run("llama.cpp", func(t *testing.T) {
			t.Parallel()
			stayClean(t, llama(t, "-c", shortFlag), *exchanges*5/3, command)
		})
		t.Run("patched, no fault on", func(t *testing.T) {
			t.Parallel()
			stayClean(t, patched(t, engine.Fault{}, "-c", shortFlag), *exchanges, command)
		})
	})
	g := patched(t, engine.Fault{Pool: shortPool}, "-c", shortFlag)
	g.window = shortWindow
	o := g.judge(t, accounts, command...)
	if o.Class != "leak" {
		t.Errorf("with the fault on, the same command says %s\n%s", o.Class, o.list())
	}
	originKnown(t, o)
}

// stayClean runs a command again and again until so many exchanges are decided, or
// the time is up. Nothing may be wrong but codes that the model itself loses, one in
// a thousand: sent once more, alone, they are lost again.
func stayClean(t *testing.T, g target, want int, command []string) {
	g.window = shortWindow
	g, rec := g.recording(t)
	path := g.config(t, accounts)
	var sum report.Counts
	for seed, began := 1, time.Now(); sum.Decided < want && time.Since(began) < *cleanTime; seed++ {
		o := judge(t, path, seed, command...)
		add(&sum, o.Totals)
		if o.Class != "sound" {
			t.Logf("%s\n%s", o.Class, o.list())
		}
		if o.Totals.Leak+o.Totals.Foreign > 0 || o.Exit == report.ExitInconclusive {
			t.Errorf("%s", o.Class)
			break
		}
	}
	rates(t, t.Name(), sum)
	kept, right := rec.askAlone(t)
	t.Logf("%d of %d codes did not come back; of these %d do when asked alone", kept, sum.Sent, right)
	if sum.Damaged > kept-right {
		t.Errorf("%d answers damaged, and the model loses only %d of the codes by itself", sum.Damaged, kept-right)
	}
	if sum.Damaged > 3+sum.Decided/200 {
		t.Errorf("%d of %d answers damaged: far more than what the model loses by itself", sum.Damaged, sum.Decided)
	}
}

// TestLongOverLength: prompts about and above the window of a sound server, 40
// rounds. It refuses those that do not fit, and a prompt that leaves less room
// than the answer needs is begun and cut: neither is a finding, and most can be
// told.
func TestLongOverLength(t *testing.T) {
	o := llama(t).judge(t, accounts, "validate", "--only", "pulse=2,overlength=40")
	t.Log(o.list())
	if _, only := o.copyingErrors(); o.Totals.Leak+o.Totals.Foreign > 0 || o.Totals.Damaged > 0 && !only {
		t.Error("a sound server was found to be none")
	}
	if o.Exit == report.ExitInconclusive {
		t.Errorf("%d of %d could not be told", o.Totals.Inconclusive, o.Totals.Sent)
	}
}

// TestLongSwapPower: of every ten prompts three have their answer exchanged with
// another's, if another is waiting for one. A burst of 16 finds it as often as
// stats.Power says for the share of exchanges that it hits.
func TestLongSwapPower(t *testing.T) {
	const bursts, rate = 20, 0.3
	g := patched(t, engine.Fault{Swap: rate})
	o := g.judge(t, accounts, "validate", "--only", "burst=20")
	hit := map[string]bool{} // rounds
	for _, f := range o.Findings {
		if f.Class == "leak" {
			hit[f.Round] = true
		}
	}
	share := float64(o.Totals.Leak) / float64(o.Totals.Sent)
	found := stats.ClopperPearson(len(hit), bursts, 0.95)
	t.Logf("%d of %d bursts found it (%.2f to %.2f); %.3f of the exchanges were hit, for which a burst of 16 has a power of %.3f",
		len(hit), bursts, found.Low, found.High, share, stats.Power(share, 16))
	if math.IsNaN(share) || len(hit) < bursts/2 {
		t.Errorf("%d of %d bursts found exchanged answers, want at least half", len(hit), bursts)
	}
	originKnown(t, o)
}
