package preflight

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"crosstalk/internal/report"
)

// Name names a fact.
type Name string

// The facts that readers know.
const (
	Engine  Name = "engine"  // one of the Engine constants
	Version Name = "version" // of the engine
	Role    Name = "role"    // RoleUnified, RolePrefill or RoleDecode
	Model   Name = "model"

	Window     Name = "window"     // tokens; what the node says it serves
	Configured Name = "configured" // tokens; the window that flags or a model file ask for
	Trained    Name = "trained"    // tokens; the window the model was made for
	Advertised Name = "advertised" // tokens; the window customers are told
	InputLimit Name = "input_limit"

	Pool     Name = "pool"     // tokens that fit, of one rank
	Estimate Name = "estimate" // tokens that fit, computed from blocks: an estimate
	PoolCap  Name = "pool_cap" // tokens; the pool is asked to be no larger
	Ranks    Name = "ranks"    // data-parallel ranks, each with a pool of its own
	Hybrid   Name = "hybrid"   // true: layers of several kinds share the pool
	Slots    Name = "slots"    // requests served at once, each with a window of its own
	Unified  Name = "unified"  // true: the slots share one pool

	AutoTruncate  Name = "auto_truncate" // true: prompts that are too long are cut
	ContextShift  Name = "context_shift" // true: the middle is dropped while generating
	PrefixCache   Name = "prefix_cache"
	ExternalCache Name = "external_cache" // KV kept outside of the engine; its kind
	KVChecksum    Name = "kv_checksum"    // true: KV is checked when it is transferred
	Open          Name = "open"           // readable without a key; from how far
	ShownKey      Name = "shown_key"      // true: the answer holds the server's own key
)

// The engines that can be read.
const (
	SGLang   = "sglang"
	VLLM     = "vllm"
	LlamaCpp = "llama.cpp"
	Ollama   = "ollama"
	TRTLLM   = "tensorrt-llm"
)

// Engines lists the engines that can be read.
func Engines() []string { return []string{SGLang, VLLM, LlamaCpp, Ollama, TRTLLM} }

// What a node does in a deployment that keeps the reading of prompts (prefill)
// and the writing of answers (decode) apart, or does not.
const (
	RoleUnified = "unified"
	RolePrefill = "prefill"
	RoleDecode  = "decode"
)

// From how far an address is open.
const (
	OpenLoopback = "loopback" // this machine
	OpenPrivate  = "private"  // a private network
	OpenPublic   = "public"   // anybody
)

// Fact is one value that was read.
type Fact struct {
	Name Name `json:"fact"`
	// Of is the rank, model or address that the fact is about; "" for the
	// node as a whole.
	Of    string `json:"of,omitempty"`
	Value Value  `json:"value"`
	Unit  string `json:"unit,omitempty"`
	// Where is the file or address it was read from, Field the key there.
	Where string `json:"where"`
	Field string `json:"field,omitempty"`
	// Note says what is uncertain about it.
	Note string `json:"note,omitempty"`
}

// String is the fact as reports show it: 681,280 tokens (bad.json,
// max_total_num_tokens).
func (f Fact) String() string {
	var b strings.Builder
	b.WriteString(string(f.Name))
	if f.Of != "" {
		b.WriteString(" of " + f.Of)
	}
	b.WriteString(" " + f.Value.String())
	if f.Unit != "" {
		b.WriteString(" " + f.Unit)
	}
	b.WriteString(" (" + f.Where)
	if f.Field != "" {
		b.WriteString(", " + f.Field)
	}
	b.WriteString(")")
	return b.String()
}

// Value is a text, a count, or yes or no. The zero Value is an empty text.
type Value struct {
	kind  valueKind
	text  string
	count int64
}

type valueKind int

const (
	kindText valueKind = iota
	kindCount
	kindFlag
)

// Text is a value that is a text, cut and cleaned: it came from outside.
func Text(s string) Value { return Value{text: clean(s)} }

// Count is a value that is a number of things.
func Count(n int64) Value { return Value{kind: kindCount, count: n} }

// Flag is a value that is yes or no.
func Flag(yes bool) Value {
	v := Value{kind: kindFlag}
	if yes {
		v.count = 1
	}
	return v
}

// String is the value as reports show it; counts have separators.
func (v Value) String() string {
	switch v.kind {
	case kindCount:
		return report.Number(v.count)
	case kindFlag:
		return strconv.FormatBool(v.count == 1)
	default:
		return v.text
	}
}

// MarshalJSON writes a JSON string, number or boolean.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case kindCount:
		return json.Marshal(v.count)
	case kindFlag:
		return json.Marshal(v.count == 1)
	default:
		return json.Marshal(v.text)
	}
}

// mostText bounds a text that came from outside, in runes.
const mostText = 200

// clean makes a text from outside fit to be printed: one line, no control
// characters, of bounded length.
func clean(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > mostText {
			b.WriteString("…")
			break
		}
		if !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}
