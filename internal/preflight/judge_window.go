package preflight

import "fmt"

// inputSlack is how far an input limit may lie below the window, in tokens,
// without meaning anything: engines keep a few tokens back for the answer, and
// round to pages.
const inputSlack = 128

// inputLimit asks whether prompts are taken up to the window.
func (d *deployment) inputLimit(n *Node) []Judgement {
	limit, ok := n.smallest(InputLimit)
	if !ok {
		return nil // only some engines state one
	}
	j := Judgement{ID: IDInput, Read: []Fact{limit}}
	window, known := d.window(n)
	if !known {
		j.Means = fmt.Sprintf("prompts are taken up to %s tokens; the window to hold that against is not known", limit.Value)
		j.Do = "name /v1/models of this node, or the window customers are told with --window"
		return one(j)
	}
	j.Read = append(j.Read, window)
	if limit.Value.count+inputSlack >= window.Value.count {
		j.Outcome = Fine
		j.Means = fmt.Sprintf("prompts are taken up to %s tokens of a window of %s", limit.Value, window.Value)
		return one(j)
	}
	j.Outcome = Finding
	j.Means = fmt.Sprintf("prompts are taken up to %s tokens only, the window is %s", limit.Value, window.Value)
	j.Do = fmt.Sprintf("tell customers %s tokens, or raise what bounds the input (pool, batch of tokens)", limit.Value)
	return one(j)
}

// advertisedWindow asks whether the node serves what customers are told. For
// Ollama that is the trained window too, of each model: its description of a
// model says nothing else.
func (d *deployment) advertisedWindow(n *Node) []Judgement {
	if d.advertised != nil {
		served, known := n.smallest(Window, Configured)
		if !known && (n.engine() == TRTLLM || n.role() != RoleUnified) {
			return nil // says no window of its own; the pool is held against what customers are told
		}
		room := int64(0)
		if limit, ok := n.smallest(InputLimit); ok && !known {
			served, known, room = limit, true, inputSlack
		}
		return one(n.judgeAdvertised(*d.advertised, served, known, room))
	}
	if n.engine() != Ollama {
		return nil
	}
	var out []Judgement
	for _, told := range n.all(Trained) {
		of := &Node{Facts: append(n.ofModel(Window, told.Of), n.ofModel(Configured, told.Of)...)}
		served, known := of.smallest(Window, Configured)
		out = append(out, n.judgeAdvertised(told, served, known, 0))
	}
	return out
}

// judgeAdvertised holds what is told against what is served, which may be room
// tokens less.
func (n *Node) judgeAdvertised(told, served Fact, known bool, room int64) Judgement {
	j := Judgement{ID: IDAdvertised, Required: true, Read: []Fact{told}}
	if !known {
		j.Means = fmt.Sprintf("advertised %s tokens; the window that is served is not known", told.Value)
		j.Do = servedHint(n.engine())
		return j
	}
	j.Read = append(j.Read, served)
	j.Means = fmt.Sprintf("advertised %s tokens, served %s", told.Value, served.Value)
	if served.Value.count+room >= told.Value.count {
		j.Outcome = Fine
		return j
	}
	j.Outcome = Finding
	switch n.engine() {
	case LlamaCpp:
		j.Means += " in each slot"
		j.Do = fmt.Sprintf("raise -c (it is shared out to the slots of -np), or advertise %s", served.Value)
	case Ollama:
		j.Do = fmt.Sprintf("set OLLAMA_CONTEXT_LENGTH or num_ctx in the model file to %s, or tell clients %s", told.Value, served.Value)
	default:
		j.Do = fmt.Sprintf("serve %s tokens, or advertise %s", told.Value, served.Value)
	}
	return j
}

// servedHint says where the window that an engine serves can be read.
func servedHint(engine string) string {
	switch engine {
	case Ollama:
		return "load the model (any request does) and read /api/ps again; old versions (0.6) do not say it there: set num_ctx in the model file, or name a file with OLLAMA_CONTEXT_LENGTH by --from"
	case LlamaCpp:
		return "name /props of the server, or its launch flags"
	}
	return "name /v1/models of this node, or its launch flags"
}

// truncation asks whether a prompt that is too long is cut without a word.
func (d *deployment) truncation(n *Node) []Judgement {
	j := Judgement{ID: IDTruncation}
	switch n.engine() {
	case Ollama:
		engine, _ := n.first(Engine)
		j.Outcome, j.Read = Finding, []Fact{engine}
		j.Means = "Ollama cuts prompts that are longer than the window silently, and answers with HTTP 200"
		if f, ok := n.served(); ok {
			j.Read = append(j.Read, f)
			j.Means = fmt.Sprintf("Ollama cuts prompts of more than %s tokens silently, and answers with HTTP 200", f.Value)
		}
		j.Do = `send "truncate": false with native requests, refuse longer prompts at the gateway on the OpenAI route; if that is done, --accept ` + IDTruncation
	case SGLang:
		n.cuts(&j, AutoTruncate, cutWords{
			yes: "prompts that do not fit are cut silently (allow_auto_truncate)", do: "start without --allow-auto-truncate",
			no:      "prompts that do not fit are refused, not cut",
			unknown: "whether prompts that do not fit are cut is not known: allow_auto_truncate was not read",
			read:    "name /server_info or the launch flags of this node",
		})
	case LlamaCpp:
		n.cuts(&j, ContextShift, cutWords{
			yes: "when the window is full while generating, the middle is dropped silently (context shift)", do: "start without --context-shift",
			no:      "nothing is dropped when the window is full",
			unknown: "whether the middle is dropped when the window is full (--context-shift) is not known: the server does not say",
			read:    "name its launch flags with --from",
		})
	case VLLM, TRTLLM:
		engine, _ := n.first(Engine)
		j.Outcome, j.Read = Fine, []Fact{engine}
		j.Means = "prompts that do not fit are refused unless the client itself asks for a cut"
	default:
		j.Means = "whether prompts are cut is not known: the engine is not known"
		j.Do = "name what the engine says of itself"
	}
	return one(j)
}

// cutWords are what is said of a setting that cuts: what it means when it is on,
// off or not known, and what to do then.
type cutWords struct{ yes, do, no, unknown, read string }

// cuts judges a setting that makes an engine cut without a word.
func (n *Node) cuts(j *Judgement, setting Name, w cutWords) {
	on, f, known := n.yes(setting)
	switch {
	case on:
		j.Outcome, j.Read, j.Means, j.Do = Finding, []Fact{f}, w.yes, w.do
	case known:
		j.Outcome, j.Read, j.Means = Fine, []Fact{f}, w.no
	default:
		j.Means, j.Do = w.unknown, w.read
	}
}
