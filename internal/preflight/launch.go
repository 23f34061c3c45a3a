package preflight

import (
	"math"
	"strconv"
	"strings"
)

// setting is a launch flag or environment variable of an engine, and the fact
// that it makes.
type setting struct {
	engine string
	// flag is the name without dashes, words joined by dashes; Helm values
	// write the same in camel case, environment variables in capitals.
	flag string
	fact Name
	read func(text string) (Value, bool)
}

// settings are the launch settings that say something about pool, window,
// truncation or caches. A key is noted as given, never with its value.
func settings() []setting {
	return []setting{
		{SGLang, "context-length", Configured, tokens},
		{SGLang, "max-total-tokens", PoolCap, tokens},
		{SGLang, "disaggregation-mode", Role, roleText},
		{SGLang, "allow-auto-truncate", AutoTruncate, yes},
		{SGLang, "disable-radix-cache", PrefixCache, no},
		{SGLang, "disaggregation-enable-kv-checksum", KVChecksum, yes},
		{SGLang, "hicache-storage-backend", ExternalCache, plainText},
		{SGLang, "enable-lmcache", ExternalCache, named("LMCache")},
		{VLLM, "max-model-len", Configured, tokens},
		{VLLM, "enable-prefix-caching", PrefixCache, yes},
		{VLLM, "no-enable-prefix-caching", PrefixCache, no},
		{VLLM, "kv-transfer-config", ExternalCache, connector},
		{LlamaCpp, "context-shift", ContextShift, yes},
		{LlamaCpp, "no-context-shift", ContextShift, no},
		{LlamaCpp, "kv-unified", Unified, yes},
		{LlamaCpp, "parallel", Slots, tokens},
		{Ollama, "ollama-context-length", Configured, tokens},
		{Ollama, "ollama-num-parallel", Slots, tokens},
		{TRTLLM, "max-seq-len", Configured, tokens},
		{TRTLLM, "max-num-tokens", InputLimit, tokens},
		{TRTLLM, "kv-cache-config.max-tokens", PoolCap, tokens},
		{TRTLLM, "enable-block-reuse", PrefixCache, yes},
	}
}

// unitOf is the unit that a fact is counted in.
func unitOf(name Name) string {
	switch name {
	case Configured, PoolCap, InputLimit:
		return "tokens"
	case Slots:
		return "slots"
	}
	return ""
}

// programs tells engines by what starts them.
func programs() []struct{ word, engine string } {
	return []struct{ word, engine string }{
		{"sglang", SGLang},
		{"vllm", VLLM},
		{"llama-server", LlamaCpp},
		{"llama.cpp", LlamaCpp},
		{"trtllm-serve", TRTLLM},
		{"tensorrt_llm", TRTLLM},
		{"tensorrt-llm", TRTLLM},
		{"ollama", Ollama},
	}
}

// readLaunch reads launch flags, an environment, or Helm values; ok is false if
// there is nothing of a known engine in it.
func (n *Node) readLaunch(where string, body []byte) (documentKind, bool) {
	given := launchArguments(body)
	engine := launchEngine(string(body), given)
	if engine == "" {
		return "", false
	}
	found := false
	known := settings()
	for _, a := range given {
		for _, s := range known {
			if s.engine != engine || s.flag != a.name && !strings.HasSuffix(s.flag, "."+a.name) {
				continue
			}
			v, ok := s.read(a.value)
			if !ok {
				n.trouble(where, "the value of "+clean(a.name)+" is not one that "+engine+" takes", "correct the launch settings")
				found = true
				continue
			}
			if v.kind == kindText && v.text == "" {
				continue
			}
			n.add(Fact{Name: s.fact, Value: v, Unit: unitOf(s.fact), Where: where, Field: clean(a.written)})
			found = true
		}
	}
	if engine == LlamaCpp {
		found = n.readLlamaContext(where, given) || found
	}
	if found {
		n.setEngine(engine, where, "launch settings")
	}
	return docLaunch, found
}

// readLlamaContext reads -c, which is shared out to the slots of -np.
func (n *Node) readLlamaContext(where string, given []argument) bool {
	total, slots, unified := int64(0), int64(1), false
	for _, a := range given {
		v, ok := tokens(a.value)
		switch {
		case a.name == "ctx-size" && ok:
			total = v.count
		case a.name == "parallel" && ok:
			slots = v.count
		case a.name == "kv-unified":
			unified = true
		}
	}
	if total == 0 {
		return false
	}
	f := Fact{Name: Configured, Value: Count(total), Unit: "tokens", Where: where, Field: "-c"}
	if !unified && slots > 1 {
		f.Value, f.Field = Count(max(total/slots, 1)), "-c / -np"
	}
	n.add(f)
	return true
}

// launchEngine is the engine that a text starts, by the program it names, else
// by flags that only one engine has.
func launchEngine(text string, given []argument) string {
	text = strings.ToLower(text)
	first, engine := math.MaxInt, ""
	for _, p := range programs() {
		if i := strings.Index(text, p.word); i >= 0 && i < first {
			first, engine = i, p.engine
		}
	}
	if engine != "" {
		return engine
	}
	known := settings()
	for _, a := range given {
		for _, s := range known {
			if s.flag == a.name {
				return s.engine
			}
		}
		if a.name == "ctx-size" {
			return LlamaCpp
		}
	}
	return ""
}

// tokens reads a number as engines write it: 32768, 32k (thousands), 32K
// (1,024s), 1m, 1M.
func tokens(text string) (Value, bool) {
	factor := int64(1)
	if text != "" {
		if f, ok := map[byte]int64{'k': 1000, 'm': 1e6, 'g': 1e9, 'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}[text[len(text)-1]]; ok {
			factor, text = f, text[:len(text)-1]
		}
	}
	c, err := strconv.ParseInt(text, 10, 64)
	if err != nil || c < 1 || c > mostTokens/factor {
		return Value{}, false
	}
	return Count(c * factor), true
}

// yes reads a switch: given without a value, or with one that says so.
func yes(text string) (Value, bool) {
	switch strings.ToLower(text) {
	case "", "true", "1", "yes", "on":
		return Flag(true), true
	case "false", "0", "no", "off":
		return Flag(false), true
	}
	return Value{}, false
}

// no reads a switch that turns something off.
func no(text string) (Value, bool) {
	v, ok := yes(text)
	return Flag(v.count == 0), ok
}

func plainText(text string) (Value, bool) { return Text(text), true }

// named reads a switch that brings something of that name.
func named(what string) func(string) (Value, bool) {
	return func(text string) (Value, bool) {
		v, ok := yes(text)
		if v.count == 1 {
			return Text(what), ok
		}
		return Value{}, ok
	}
}

func roleText(text string) (Value, bool) {
	switch text {
	case RolePrefill, RoleDecode:
		return Text(text), true
	case "null", "":
		return Text(RoleUnified), true
	}
	return Value{}, false
}

// connector reads the kind of vLLM's KV connector from its JSON.
func connector(text string) (Value, bool) {
	_, rest, found := strings.Cut(text, `kv_connector`)
	if !found {
		return Value{}, true
	}
	rest = strings.TrimLeft(rest, `"': `)
	end := strings.IndexFunc(rest, func(r rune) bool { return r == '"' || r == '\'' || r == ',' || r == '}' || r == ' ' })
	if end < 0 {
		end = len(rest)
	}
	return Text(rest[:end]), true
}
