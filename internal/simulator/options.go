package simulator

import (
	"errors"
	"fmt"
	"time"
)

// Router names how requests are spread over replicas.
type Router string

const (
	RouterSticky     Router = "sticky"      // by a hash of the key
	RouterRoundRobin Router = "round-robin" // in turn
)

// Options say what to simulate. Preset gives sensible ones; the zero value of
// a field stands for its default.
type Options struct {
	// Window is the advertised context length in tokens (1,048,576).
	Window int
	// PrefillPool and DecodePool are the sizes of the pools of each replica
	// in tokens (2,040,000). PrefillPool below Window is the mismatch of the
	// seed fault.
	PrefillPool, DecodePool int
	// Replicas have pools of their own (1).
	Replicas int
	Router   Router    // RouterSticky
	Reuse    Reuse     // ReuseLIFO
	Tokens   Tokenizer // TokenizerWords
	// Slots of a replica: the rows of its decode batch that stale-slot is
	// about (8). More requests than slots are not refused.
	Slots int

	// Strangers is the share of the pools' pages that requests without
	// markers wrote last, 0 to 1, kept up between any two requests.
	Strangers float64
	// Seed determines every draw, together with the ordinal of the request.
	Seed uint64

	// Model is the name served ("sim-1m"); with AnyModel every name is.
	Model    string
	AnyModel bool
	// Keys maps API keys to tenant labels. If empty, any key is accepted and
	// is a tenant of its own.
	Keys map[string]string

	// PrefillRate and DecodeRate are in tokens a second (1,000,000 and
	// 2,000). Speed multiplies both (1): a speed of 1000 all but removes
	// waiting.
	PrefillRate, DecodeRate float64
	Speed                   float64
	// Jitter stretches each prefill by a random share, exponentially
	// distributed with this mean; presets have 0.05.
	Jitter float64

	Profile Profile
	Faults  []Fault

	// ReportCached puts cached_tokens into usage: always 0, as nothing is
	// cached.
	ReportCached bool
	// MountAdmin serves Admin below /admin/ of the server itself too.
	MountAdmin bool
	// Truths is how many requests the ground truth remembers (20,000).
	Truths int
	// HangLimit bounds how long a hang lasts (10 min).
	HangLimit time.Duration
	// MaxRequest bounds a request body in bytes whatever the profile says
	// (128 MiB).
	MaxRequest int64
}

// Names of the presets.
const (
	PresetFaulty = "faulty"
	PresetFixed  = "fixed"
	PresetHonest = "honest"
)

// Presets returns the engines that Preset knows.
func Presets() []Described {
	return []Described{
		{PresetFaulty, "window 1,048,576, prefill pool 681,280, the seed fault on: HTTP 200 and other people's text above the pool"},
		{PresetFixed, "window 1,048,576, pools 2,040,000: sound up to the window, refusal above"},
		{PresetHonest, "window 1,048,576, prefill pool 681,280, no fault: a proper refusal above the pool"},
	}
}

// Preset returns the options of a named engine.
func Preset(name string) (Options, error) {
	o := Options{Window: 1048576, PrefillPool: 2040000, DecodePool: 2040000, Jitter: 0.05}
	switch name {
	case PresetFixed:
	case PresetHonest:
		o.PrefillPool = 681280
	case PresetFaulty:
		o.PrefillPool = 681280
		o.Faults = []Fault{{Name: FaultSeed, Rate: 1, Usage: "full"}}
	default:
		return Options{}, fmt.Errorf("no simulator preset is named %q: want faulty, fixed or honest", name)
	}
	return o, nil
}

// Scale returns o with window and pools made smaller (or larger) in the same
// proportions: how tests run the incident at a window of 32,768.
func (o Options) Scale(window int) Options {
	ratio := float64(window) / float64(orDefault(o.Window, 1048576))
	o.PrefillPool = int(float64(orDefault(o.PrefillPool, 2040000)) * ratio)
	o.DecodePool = int(float64(orDefault(o.DecodePool, 2040000)) * ratio)
	o.Window = window
	return o
}

// complete fills in the defaults and says all that is wrong.
func (o Options) complete() (Options, error) {
	o.Window = orDefault(o.Window, 1048576)
	o.PrefillPool = orDefault(o.PrefillPool, 2040000)
	o.DecodePool = orDefault(o.DecodePool, 2040000)
	o.Replicas = orDefault(o.Replicas, 1)
	o.Router = orDefault(o.Router, RouterSticky)
	o.Reuse = orDefault(o.Reuse, ReuseLIFO)
	o.Tokens = orDefault(o.Tokens, TokenizerWords)
	o.Slots = orDefault(o.Slots, 8)
	o.Model = orDefault(o.Model, "sim-1m")
	o.PrefillRate = orDefault(o.PrefillRate, 1e6)
	o.DecodeRate = orDefault(o.DecodeRate, 2000)
	o.Speed = orDefault(o.Speed, 1)
	o.Truths = orDefault(o.Truths, 20000)
	o.HangLimit = orDefault(o.HangLimit, 10*time.Minute)
	o.MaxRequest = orDefault(o.MaxRequest, 128<<20)
	var errs []error
	var err error
	if o.Profile, err = o.Profile.complete(); err != nil {
		errs = append(errs, err)
	}
	faults := make([]Fault, len(o.Faults))
	for i, f := range o.Faults {
		if faults[i], err = f.complete(); err != nil {
			errs = append(errs, err)
		}
	}
	o.Faults = faults
	return o, errors.Join(append(errs, o.check())...)
}

// check says what is wrong with numbers and names.
func (o Options) check() error {
	var errs []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf("simulator options: "+format, args...))
		}
	}
	wrong(o.Window < 1024, "window is %d tokens, want at least 1024", o.Window)
	wrong(o.PrefillPool < 2*pageTokens, "prefill pool is %d tokens, want at least %d", o.PrefillPool, 2*pageTokens)
	wrong(o.DecodePool < o.Window, "decode pool is %d tokens, want at least the window (%d)", o.DecodePool, o.Window)
	wrong(o.Window > 1<<26 || o.PrefillPool > 1<<26 || o.DecodePool > 1<<26, "window and pools are at most %d tokens", 1<<26)
	wrong(o.Replicas < 1 || o.Replicas > 64, "replicas is %d, want 1 to 64", o.Replicas)
	wrong(o.Slots < 1, "slots is %d, want at least 1", o.Slots)
	wrong(o.Truths < 1, "truths is %d, want at least 1", o.Truths)
	wrong(!(o.Strangers >= 0 && o.Strangers <= 1), "strangers is %v, want 0 to 1", o.Strangers)
	wrong(!(o.PrefillRate > 0 && o.DecodeRate > 0 && o.Speed > 0), "rates and speed must be above 0")
	wrong(!(o.Jitter >= 0 && o.Jitter <= 10), "jitter is %v, want 0 to 10", o.Jitter)
	wrong(o.Router != RouterSticky && o.Router != RouterRoundRobin, "router is %q, want sticky or round-robin", o.Router)
	wrong(o.Tokens != TokenizerWords && o.Tokens != TokenizerPieces && o.Tokens != TokenizerBytes, "tokenizer is %q, want words, pieces or bytes", o.Tokens)
	switch o.Reuse {
	case ReuseLIFO, ReuseFIFO, ReuseRandom, ReuseOff:
	default:
		wrong(true, "page reuse is %q, want lifo, fifo, random or off", o.Reuse)
	}
	return errors.Join(errs...)
}
