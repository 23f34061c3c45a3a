//go:build e2e

package suite

import (
	"testing"

	"crosstalk/bench/engine"
)

// TestE2EVerdicts are the rows that take seconds.
func TestE2EVerdicts(t *testing.T) {
	verdicts(t, []arm{
		{"llama.cpp", func(t *testing.T) target { return llama(t) }, []question{
			{args: "validate --only pulse=2,burst=1,top=1"},
			{args: "probe --stream --tokens 400", because: "answer/exact"},
			{args: "probe --share 2 --over", because: "overlength/refused", detail: "2048 allowed"},
		}},
		{"llama.cpp, wrong RoPE scale", func(t *testing.T) target {
			return llama(t, "--rope-scaling", "linear", "--rope-scale", "16")
		}, []question{
			{args: "validate --only pulse=1", because: "recall/lost_seal"},
			{args: "probe --tokens 200", because: "recall/lost_seal"},
		}},
		{"llama.cpp, slots of 256", func(t *testing.T) target { return llama(t, "-c", "1024") }, []question{
			{args: "validate --only pulse=2,overlength=1", because: "overlength/window", detail: "256 allowed"},
			{args: "probe --share 0.9", because: "overlength/window", detail: "256 allowed"},
		}},
		{"patched, pool of 1331", func(t *testing.T) target { return patched(t, engine.Fault{Pool: pool}) }, []question{
			{args: poolCommand, because: "foreignmarker/marker", look: originKnown},
		}},
		{"patched, answers exchanged", func(t *testing.T) target { return patched(t, engine.Fault{Swap: 1}) }, []question{
			{args: "validate --only pulse=1,burst=1", because: "swap/swap", look: originKnown},
		}},
		{"patched, no fault on", func(t *testing.T) target { return patched(t, engine.Fault{}) }, []question{
			{args: poolCommand},
			{args: "validate --only pulse=1,burst=1"},
		}},
	})
}
