//go:build long

package suite

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crosstalk/bench/engine"
	"crosstalk/internal/report"
)

var (
	crowdTime  = flag.Duration("crowd.time", 30*time.Minute, "how long TestLongCrowd runs, on each of two servers")
	crowdRatio = flag.Int("crowd.ratio", 99, "requests of strangers for each of ours")
)

// crowdWindow keeps every prompt of ours at 600 tokens or less; crowdPool is as
// much of it as the pool of the incident was.
const (
	crowdWindow = 768
	crowdPool   = crowdWindow * 65 / 100
)

// maxCanaries bounds our requests of one run among strangers.
const maxCanaries = 900

// crowd is a load of strangers, bounded by a count and by its context.
type crowd struct {
	target
	left           atomic.Int64 // requests still allowed
	served, failed atomic.Int64
}

// clients of the crowd at once, more than the engine has slots.
const clients = 6

// run sends until nothing is left or ctx ends.
func (c *crowd) run(ctx context.Context) {
	var all sync.WaitGroup
	texts := strangers()
	for i := range clients {
		all.Go(func() {
			for n := i; ctx.Err() == nil && c.left.Add(-1) >= 0; n++ {
				prompt := fmt.Sprintf("%s. %s", texts[n%len(texts)], texts[(n/len(texts)+1)%len(texts)])
				if _, err := c.askAs(ctx, prompt); err != nil {
					c.failed.Add(1)
					continue
				}
				c.served.Add(1)
			}
		})
	}
	all.Wait()
}

// TestLongCrowd: 16 tenants on four slots, among strangers who send 99 requests
// for each of ours, on two servers at once. The sound one must stay without leak
// and foreign content, and without damage beyond the copy model's own errors; the
// same command on the patched one finds the fault, or the other run counts for
// nothing.
func TestLongCrowd(t *testing.T) {
	t.Run("llama.cpp", func(t *testing.T) {
		t.Parallel()
		sum := amongStrangers(t, llama(t, "-c", shortFlag))
		if sum.Leak+sum.Foreign > 0 || sum.Damaged > 3+sum.Decided/100 || sum.Decided == 0 {
			t.Error("a sound server was found to be none")
		}
	})
	t.Run("patched", func(t *testing.T) {
		t.Parallel()
		sum := amongStrangers(t, patched(t, engine.Fault{Pool: crowdPool}, "-c", shortFlag))
		if sum.Leak+sum.Foreign == 0 {
			t.Error("the same command does not find the fault: the sound run counts for nothing")
		}
	})
}

// amongStrangers runs the command over and over, each time among strangers, until
// the time is up or enough of our requests were sent.
func amongStrangers(t *testing.T, g target) report.Counts {
	t.Helper()
	g.window = crowdWindow
	ctx, stop := context.WithTimeout(t.Context(), *crowdTime)
	defer stop()
	path := g.config(t, maxTenants)
	c := &crowd{target: g}
	var sum report.Counts
	began := time.Now()
	for seed := 1; ctx.Err() == nil && sum.Sent < maxCanaries; seed++ {
		round, end := context.WithCancel(ctx)
		c.left.Store(maxCanaries * int64(*crowdRatio)) // ended by round, below, before that
		var load sync.WaitGroup
		load.Go(func() { c.run(round) })
		o := judge(t, path, seed, "validate", "--only", "pulse=2,seedwatch=2,top=1")
		add(&sum, o.Totals)
		if o.Class == "leak" || o.Class == "foreign" || o.Class == "damaged" {
			t.Logf("%s\n%s", o.Class, o.list())
		}
		// The strangers' share: those who have not had their turn go on alone.
		c.left.Store(int64(sum.Sent**crowdRatio) - c.served.Load() - c.failed.Load())
		if c.left.Load() <= 0 {
			end()
		}
		load.Wait()
		end()
	}
	t.Logf("%s, %d requests of strangers served, %d not", time.Since(began).Round(time.Second), c.served.Load(), c.failed.Load())
	rates(t, t.Name(), sum)
	return sum
}
