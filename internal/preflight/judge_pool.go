package preflight

import (
	"fmt"
	"strings"
)

// pool asks whether a prompt as long as the window fits into the pool of every
// rank. It is the question that would have blocked the launch of the incident.
func (d *deployment) pool(n *Node) []Judgement {
	j := Judgement{ID: IDPool, Required: true}
	if n.engine() == LlamaCpp || n.engine() == Ollama {
		return one(d.slotPool(n, j))
	}
	window, known := d.window(n)
	if !known {
		j.Means = "the context window is not known, so the KV pool cannot be held against it"
		j.Do = "name what says it: /v1/models of this node (--from, or --url), or the window customers are told with --window"
		j.Read = n.all(Pool)
		return one(j)
	}
	j.Read = []Fact{window}
	if smallest, ok := n.smallest(Pool); ok {
		j.Read = append(j.Read, n.all(Pool)...)
		return one(allRanks(n, judgePool(j, smallest, window)))
	}
	if f, ok := n.smallest(PoolCap); ok && f.Value.count < window.Value.count {
		j.Read = append(j.Read, f)
		return one(judgePool(j, f, window))
	}
	if f, ok := n.smallest(Estimate); ok {
		return one(d.estimatedPool(n, j, f, window))
	}
	j.Means = fmt.Sprintf("the size of the KV pool is not known, so it cannot be held against the window of %s tokens", window.Value)
	j.Do = map[string]string{
		SGLang: "name /server_info of this node, or its metrics page (--enable-metrics)",
		VLLM:   "name /metrics of this node",
		TRTLLM: "read /metrics again after a request has run: TensorRT-LLM answers with an empty list when nothing ran since the last read",
	}[n.engine()]
	if j.Do == "" {
		j.Do = "name what the engine says of its KV cache: server information or a metrics page"
	}
	return one(j)
}

// judgePool holds one pool against one window.
func judgePool(j Judgement, pool, window Fact) Judgement {
	of := ""
	if pool.Of != "" {
		of = " of " + pool.Of
	}
	if pool.Value.count >= window.Value.count {
		j.Outcome = Fine
		j.Means = fmt.Sprintf("the KV pool%s holds %s tokens, the window is %s: the longest request fits", of, pool.Value, window.Value)
		return j
	}
	j.Outcome = Finding
	j.Means = fmt.Sprintf("the KV pool%s holds %s tokens, the window is %s: a prompt between the two has no memory of its own, and must be refused or will be answered from something else's",
		of, pool.Value, window.Value)
	j.Do = fmt.Sprintf("serve a window of at most %s tokens, or give the KV pool at least %s; until then block longer prompts at the gateway", pool.Value, window.Value)
	return j
}

// allRanks takes a fine judgement back where pools of some ranks were not read.
func allRanks(n *Node, j Judgement) Judgement {
	ranks, ok := n.first(Ranks)
	if j.Outcome != Fine || !ok || ranks.Value.count < 2 {
		return j
	}
	read := map[string]bool{}
	for _, f := range n.all(Pool) {
		read[f.Of] = true
	}
	delete(read, "")
	if int64(len(read)) >= ranks.Value.count {
		return j
	}
	j.Outcome = Unknown
	j.Read = append(j.Read, ranks)
	j.Means = fmt.Sprintf("pools of %d of %s ranks were read, and hold the window; the others are not known", max(len(read), 1), ranks.Value)
	j.Do = "name the metrics page of this node (--enable-metrics), which has a line for each rank"
	return j
}

// slotPool judges engines that set memory for the window of a slot aside at
// start: there the window of one request cannot exceed the pool. Several at once
// can, where slots share one.
func (d *deployment) slotPool(n *Node, j Judgement) Judgement {
	f, ok := n.served()
	if !ok {
		j.Means = "the window that is served is not known, and with it how much memory a request has"
		j.Do = servedHint(n.engine())
		return j
	}
	j.Outcome = Fine
	j.Read = []Fact{f}
	j.Means = fmt.Sprintf("a request of the whole window of %s tokens fits into its slot", f.Value)
	shared, fact, known := n.yes(Unified)
	if slots, ok := n.first(Slots); ok {
		j.Read = append(j.Read, slots)
		j.Means = fmt.Sprintf("a request of the whole window of %s tokens fits into each of %s slots", f.Value, slots.Value)
		if n.engine() == LlamaCpp && slots.Value.count > 1 && !known {
			j.Means += "; whether the slots share one pool (--kv-unified), so that only one such request fits at a time, the server does not say"
		}
	}
	if shared {
		j.Outcome = Warning
		j.Read = append(j.Read, fact)
		j.Means = fmt.Sprintf("the slots share one pool of %s tokens: one request of that length fits, several do not", f.Value)
		j.Do = "start without --kv-unified, or bound the length of prompts to the pool divided by the slots"
	}
	return j
}

// estimatedPool judges a pool known as blocks times their size only. That is
// the pool where all layers are of one kind, and mostly too much where they are
// not, so that it can prove a mismatch but not always the lack of one.
func (d *deployment) estimatedPool(n *Node, j Judgement, pool, window Fact) Judgement {
	j.Read = append(j.Read, n.all(Estimate)...)
	hybrid, sign, _ := n.yes(Hybrid)
	if hybrid {
		j.Read = append(j.Read, sign)
		j.Means = fmt.Sprintf("the KV pool is known as %s only (%s tokens), which is wrong for a model whose layers are of several kinds (%s)", pool.Note, pool.Value, sign.Field)
		j.Do = "update to a version whose vllm:cache_config_info has the label kv_cache_size_tokens, or take the number from the start-up log"
		return j
	}
	j = judgePool(j, pool, window)
	if j.Outcome == Fine {
		j.Outcome = Warning
		j.Means += "; the pool is computed from blocks, which is right only if all layers of the model are of one kind"
		j.Do = "update to a version whose vllm:cache_config_info has the label kv_cache_size_tokens"
	}
	return j
}

// decodePool compares the pools of a disaggregated deployment: a decode node
// with the larger pool admits prompts that the prefill node has to refuse.
func (d *deployment) decodePool() []Judgement {
	var prefill, decode []*Node
	for _, n := range d.nodes {
		switch n.role() {
		case RolePrefill:
			prefill = append(prefill, n)
		case RoleDecode:
			decode = append(decode, n)
		}
	}
	if len(prefill)+len(decode) == 0 {
		return nil
	}
	j := Judgement{ID: IDDecodePool, Node: names(append(prefill, decode...))}
	small, knowsSmall := extremeOf(prefill, (*Node).smallest, func(a, b int64) bool { return a < b })
	large, knowsLarge := extremeOf(decode, (*Node).largest, func(a, b int64) bool { return a > b })
	if !knowsSmall || !knowsLarge {
		j.Means = "prefill and decode pools cannot be compared: only one side was read"
		j.Do = "name a prefill and a decode node, each with --url or --from"
		return one(j)
	}
	j.Read = []Fact{small, large}
	window, known := d.window(prefill[0])
	switch {
	case large.Value.count <= small.Value.count:
		j.Outcome = Fine
		j.Means = fmt.Sprintf("the decode pool (%s tokens) is no larger than the prefill pool (%s)", large.Value, small.Value)
	case known && small.Value.count >= window.Value.count:
		j.Outcome = Warning
		j.Means = fmt.Sprintf("the decode pool (%s tokens) is larger than the prefill pool (%s); harmless as long as the prefill pool holds the window of %s", large.Value, small.Value, window.Value)
		j.Do = "keep the prefill pool at or above the window when memory settings change"
	default:
		j.Outcome = Finding
		j.Means = fmt.Sprintf("the decode pool holds %s tokens, the prefill pool %s: a prompt in between is admitted by decode and refused by prefill, the constellation in which decode has answered from stale memory", large.Value, small.Value)
		j.Do = "give prefill nodes at least the pool of decode nodes, or cap decode with --max-total-tokens"
	}
	return one(j)
}

// extremeOf is the extreme pool of several nodes.
func extremeOf(nodes []*Node, pick func(*Node, ...Name) (Fact, bool), beats func(a, b int64) bool) (Fact, bool) {
	var best Fact
	found := false
	for _, n := range nodes {
		if f, ok := pick(n, Pool); ok && (!found || beats(f.Value.count, best.Value.count)) {
			best, found = f, true
		}
	}
	return best, found
}

func names(nodes []*Node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.Name)
	}
	return strings.Join(out, ", ")
}
