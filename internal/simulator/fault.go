package simulator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Names of the faults. What each does is in its Help, see Faults.
const (
	FaultSeed           = "seed"
	FaultSwap           = "swap"
	FaultStaleSlot      = "stale-slot"
	FaultTruncateHead   = "truncate-head"
	FaultTruncateMiddle = "truncate-middle"
	FaultTruncateTail   = "truncate-tail"
	FaultSkipPrefill    = "skip-prefill"
	FaultBang           = "bang"
	FaultLoop           = "loop"
	FaultEmpty          = "empty"
	FaultWrongScript    = "wrong-script"
	FaultMarkup         = "markup"
	FaultUsage          = "usage"
)

// Fault is one defect of the engine and when it strikes. The zero value of
// every trigger means always.
type Fault struct {
	Name string
	// Rate is the share of the requests that meet the other triggers, 0 to
	// 1. ParseFault sets it to 1 where it is not given.
	Rate float64
	// MinTokens and MaxTokens bound the prompt, in tokens as sent.
	MinTokens, MaxTokens int
	// Concurrency is the least number of requests in flight on the replica,
	// this one included.
	Concurrency int
	// Prefix is "cold" (first use of the prompt's first 256 tokens), "warm"
	// (used before) or "".
	Prefix string
	// From and Until bound the time since the server was made.
	From, Until time.Duration

	// Pool of seed: the prefill pool in tokens as long as the fault is on; 0 is
	// the engine's. So a sound engine can have the fault for a while.
	Pool int
	// Usage of seed: full (the length as sent), 1, or absent. Usage of
	// truncate-*: cap (what was left) or full. Usage of usage: fixed (Value),
	// half, double, zero or one.
	Usage string
	// Cap of truncate-*: tokens left of the prompt.
	Cap int
	// KeepQuestion of truncate-tail: the chat template puts the last page
	// back.
	KeepQuestion bool
	// Share of skip-prefill: the share of the prompt, from its start, that
	// is not prefilled.
	Share float64
	// Amount of wrong-script: few (1 to 3 letters) or many; of bang: all (of
	// the answer) or tail (after a good head).
	Amount string
	// Value of usage=fixed.
	Value int
}

// errFault is wrapped by every error about a fault.
var errFault = errors.New("invalid fault")

// Described is a name with one line of help.
type Described struct{ Name, Help string }

// Faults returns every named fault.
func Faults() []Described {
	return []Described{
		{FaultSeed, "a prompt longer than the prefill pool is rejected, replaced by one placeholder token, transferred all the same, and decode reads stale pages (usage=full|1|absent, pool=TOKENS)"},
		{FaultSwap, "two requests of one batch get each other's answers; needs two in flight on a replica"},
		{FaultStaleSlot, "a slot answers with the answer of the request it served before"},
		{FaultTruncateHead, "the start of a prompt beyond cap tokens is dropped in silence (cap=16384, usage=cap|full)"},
		{FaultTruncateMiddle, "the middle of a prompt beyond cap tokens is dropped in silence (cap=16384, usage=cap|full)"},
		{FaultTruncateTail, "the end of a prompt beyond cap tokens is dropped in silence, the question with it unless keep (cap=16384, usage=cap|full, keep)"},
		{FaultSkipPrefill, "the pages of the first share of a prompt are allotted and transferred but not written (share=1)"},
		{FaultBang, "the sampler reads NaN and repeats token 0, an exclamation mark, to the end of the budget (amount=all|tail)"},
		{FaultLoop, "a good beginning, then one phrase for ever"},
		{FaultEmpty, "no visible character, tokens counted as usual"},
		{FaultWrongScript, "letters of another script in the answer (amount=few|many)"},
		{FaultMarkup, "special tokens, think tags or channel names in the answer"},
		{FaultUsage, "usage.prompt_tokens lies (usage=fixed|half|double|zero|one, value=2051)"},
	}
}

// ParseFault reads a fault as it is written on a command line: its name, then
// triggers and parameters, e.g. "seed,rate=0.25,usage=full". The keys are rate,
// min, max, conc, prefix, from, until, usage, pool, cap, keep, share, amount,
// value.
func ParseFault(text string) (Fault, error) {
	name, rest, _ := strings.Cut(text, ",")
	f := Fault{Name: strings.TrimSpace(name), Rate: 1}
	for field := range strings.SplitSeq(rest, ",") {
		field = strings.TrimSpace(field)
		if field == "" {
			continue
		}
		key, value, _ := strings.Cut(field, "=")
		if err := f.set(key, value); err != nil {
			return Fault{}, fmt.Errorf("%w %q: %w", errFault, text, err)
		}
	}
	return f.complete()
}

// set sets one key of a fault's text form.
func (f *Fault) set(key, value string) (err error) {
	switch key {
	case "rate":
		f.Rate, err = strconv.ParseFloat(value, 64)
	case "min":
		f.MinTokens, err = strconv.Atoi(value)
	case "max":
		f.MaxTokens, err = strconv.Atoi(value)
	case "conc":
		f.Concurrency, err = strconv.Atoi(value)
	case "prefix":
		f.Prefix = value
	case "from":
		f.From, err = time.ParseDuration(value)
	case "until":
		f.Until, err = time.ParseDuration(value)
	case "usage":
		f.Usage = value
	case "cap":
		f.Cap, err = strconv.Atoi(value)
	case "keep":
		f.KeepQuestion = value == "" || value == "true"
	case "share":
		f.Share, err = strconv.ParseFloat(value, 64)
	case "amount":
		f.Amount = value
	case "pool":
		f.Pool, err = strconv.Atoi(value)
	case "value":
		f.Value, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("unknown key %q", key)
	}
	return err
}

// complete fills in the defaults and says what is wrong.
func (f Fault) complete() (Fault, error) {
	usage, amount := []string{""}, []string{""}
	switch f.Name {
	case FaultSeed:
		usage = []string{"full", "1", "absent"}
	case FaultTruncateHead, FaultTruncateMiddle, FaultTruncateTail:
		usage = []string{"cap", "full"}
		f.Cap = orDefault(f.Cap, 16384)
	case FaultSkipPrefill:
		f.Share = orDefault(f.Share, 1)
	case FaultWrongScript:
		amount = []string{"few", "many"}
	case FaultBang:
		amount = []string{"all", "tail"}
	case FaultUsage:
		usage = []string{"fixed", "half", "double", "zero", "one"}
		f.Value = orDefault(f.Value, 2051)
	case FaultSwap, FaultStaleSlot, FaultLoop, FaultEmpty, FaultMarkup:
	default:
		return f, fmt.Errorf("%w: no fault is named %q", errFault, f.Name)
	}
	f.Usage = orDefault(f.Usage, usage[0])
	f.Amount = orDefault(f.Amount, amount[0])
	return f, errors.Join(
		oneOf(f.Name, "usage", f.Usage, usage),
		oneOf(f.Name, "amount", f.Amount, amount),
		oneOf(f.Name, "prefix", f.Prefix, []string{"", "warm", "cold"}),
		inUnit(f.Name, "rate", f.Rate),
		inUnit(f.Name, "share", f.Share),
	)
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}

func oneOf(name, key, value string, allowed []string) error {
	for _, a := range allowed {
		if a == value {
			return nil
		}
	}
	return fmt.Errorf("%w: %s: %s is %q, want one of %q", errFault, name, key, value, allowed)
}

func inUnit(name, key string, value float64) error {
	if value >= 0 && value <= 1 {
		return nil
	}
	return fmt.Errorf("%w: %s: %s is %v, want 0 to 1", errFault, name, key, value)
}

// circumstances are what triggers look at.
type circumstances struct {
	tokens   int
	inFlight int
	warm     bool
	since    time.Duration
}

// triggered reports whether a request meets the triggers of f, rate apart.
func (f Fault) triggered(c circumstances) bool {
	switch {
	case c.tokens < f.MinTokens, f.MaxTokens > 0 && c.tokens > f.MaxTokens:
		return false
	case c.inFlight < f.Concurrency:
		return false
	case f.Prefix == "warm" && !c.warm, f.Prefix == "cold" && c.warm:
		return false
	case c.since < f.From, f.Until > 0 && c.since >= f.Until:
		return false
	}
	return true
}

// String writes f as ParseFault reads it.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.Name)
	put := func(key string, value any, is bool) {
		if is {
			fmt.Fprintf(&b, ",%s=%v", key, value)
		}
	}
	put("rate", f.Rate, f.Rate != 1)
	put("min", f.MinTokens, f.MinTokens != 0)
	put("max", f.MaxTokens, f.MaxTokens != 0)
	put("conc", f.Concurrency, f.Concurrency != 0)
	put("prefix", f.Prefix, f.Prefix != "")
	put("from", f.From, f.From != 0)
	put("until", f.Until, f.Until != 0)
	put("usage", f.Usage, f.Usage != "")
	put("cap", f.Cap, f.Cap != 0)
	put("keep", f.KeepQuestion, f.KeepQuestion)
	put("share", f.Share, f.Share != 0)
	put("amount", f.Amount, f.Amount != "")
	put("pool", f.Pool, f.Pool != 0)
	put("value", f.Value, f.Value != 0)
	return b.String()
}
