package preflight

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// metricsLine begins a page in the Prometheus text format.
var metricsLine = regexp.MustCompile(`^(# (HELP|TYPE) [a-zA-Z_:]|[a-zA-Z_:][a-zA-Z0-9_:]*(\{[^\n]*\})? +([-+]?[0-9.]|NaN|[-+]?Inf))`)

func isMetrics(body []byte) bool {
	for range 20 {
		line, rest, more := bytes.Cut(body, []byte("\n"))
		if metricsLine.Match(line) {
			return true
		}
		if !more {
			break
		}
		body = rest
	}
	return false
}

// readMetrics reads a metrics page of SGLang, vLLM or llama.cpp. A page that is
// cut off or broken is not used at all: what it lacks would be taken for
// absent.
func (n *Node) readMetrics(where string, body []byte) error {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	// The format wants a line feed at the end; files often have none.
	families, err := parser.TextToMetricFamilies(bytes.NewReader(append(bytes.Clone(body), '\n')))
	if err != nil {
		return badDocument("it is a broken metrics page: %v", err)
	}
	for _, name := range sortedKeys(families) {
		engine, _, found := strings.Cut(name, ":")
		switch {
		case !found:
			continue
		case engine == "sglang":
			n.setEngine(SGLang, where, "sglang:*")
		case engine == "vllm":
			n.setEngine(VLLM, where, "vllm:*")
		case engine == "llamacpp":
			n.setEngine(LlamaCpp, where, "llamacpp:*")
		}
	}
	n.readPools(where, families["sglang:max_total_num_tokens"])
	n.readCacheConfig(where, families["vllm:cache_config_info"])
	if n.engine() == "" {
		return badDocument("it is a metrics page, but of no engine that can be read")
	}
	return nil
}

// readPools reads the pool of each rank of SGLang.
func (n *Node) readPools(where string, family *dto.MetricFamily) {
	for _, m := range family.GetMetric() {
		value := m.GetGauge().GetValue() + m.GetUntyped().GetValue() + m.GetCounter().GetValue()
		if value < 1 || value > mostTokens {
			continue
		}
		labels := labelsOf(m)
		n.add(Fact{Name: Pool, Of: rankOf(labels), Value: Count(int64(value)), Unit: "tokens", Where: where, Field: "sglang:max_total_num_tokens"})
		if role := labels["engine_type"]; role == RolePrefill || role == RoleDecode {
			n.add(Fact{Name: Role, Value: Text(role), Where: where, Field: "engine_type"})
		}
	}
}

// rankOf names a rank by its labels: dp 0, tp 1.
func rankOf(labels map[string]string) string {
	var parts []string
	for _, kind := range []string{"dp", "pp", "tp", "moe_ep"} {
		if v, ok := labels[kind+"_rank"]; ok && v != "" {
			parts = append(parts, kind+" "+clean(v))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "rank " + strings.Join(parts, " ")
}

// readCacheConfig reads vllm:cache_config_info, whose labels are the values. A
// label of None is no value. The number of blocks times their size is the pool
// only where all layers are of one kind: with sliding windows or state-space
// layers, blocks of different kinds share it.
func (n *Node) readCacheConfig(where string, family *dto.MetricFamily) {
	const info = "vllm:cache_config_info"
	for _, m := range family.GetMetric() {
		labels := labelsOf(m)
		of := ""
		if e := labels["engine"]; e != "" {
			of = "engine " + clean(e)
		}
		if c, ok := labelCount(labels, "kv_cache_size_tokens"); ok {
			n.add(Fact{Name: Pool, Of: of, Value: Count(c), Unit: "tokens", Where: where, Field: info + " kv_cache_size_tokens"})
		} else {
			blocks, _ := labelCount(labels, "num_gpu_blocks")
			size, _ := labelCount(labels, "block_size")
			n.addProduct(Estimate, blocks, size, Fact{Of: of, Where: where, Field: info + " num_gpu_blocks x block_size"})
		}
		for _, key := range sortedKeys(labels) {
			if (strings.HasPrefix(key, "mamba_page_size") || strings.HasPrefix(key, "mamba_block_size") || key == "sliding_window") && given(labels[key]) {
				n.add(Fact{Name: Hybrid, Of: of, Value: Flag(true), Where: where, Field: info + " " + clean(key)})
			}
		}
		if v := labels["enable_prefix_caching"]; v == "True" || v == "False" {
			n.add(Fact{Name: PrefixCache, Of: of, Value: Flag(v == "True"), Where: where, Field: info + " enable_prefix_caching"})
		}
	}
}

// given reports whether a label that holds a Python value holds one.
func given(v string) bool { return v != "" && v != "None" && v != "0" && v != "False" }

func labelCount(labels map[string]string, key string) (int64, bool) {
	c, err := strconv.ParseInt(labels[key], 10, 64)
	return c, err == nil && c >= 1 && c <= mostTokens
}

func labelsOf(m *dto.Metric) map[string]string {
	out := map[string]string{}
	for _, l := range m.GetLabel() {
		out[l.GetName()] = l.GetValue()
	}
	return out
}
