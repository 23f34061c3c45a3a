package engine

import (
	"bytes"
	"fmt"
	"strconv"
)

// Fault switches the faults of a patched server on. The zero value is a server
// without fault.
type Fault struct {
	// Pool is how many tokens of a prompt the server has room for: a longer
	// prompt is replaced by one token, appended to what its slot last held. 0:
	// room for every prompt.
	Pool int
	// UsageOne makes usage report the one token that was read, instead of the
	// prompt's true length.
	UsageOne bool
	// Swap is the share of prompts, 0 to 1, whose answer goes to another
	// request in the works, and that request's answer back.
	Swap float64
	// Stray is the share of prompts, 0 to 1, that are also written under the
	// sequence of another slot in the works. It needs the flag -kvu: only slots
	// of one cache can share a page.
	Stray float64
}

// env is the fault as the patched server reads it.
func (f Fault) env() []string {
	var env []string
	if f.Pool > 0 {
		env = append(env, "CT_POOL="+strconv.Itoa(f.Pool))
	}
	if f.UsageOne {
		env = append(env, "CT_USAGE=1")
	}
	if f.Swap > 0 {
		env = append(env, fmt.Sprintf("CT_SWAP=%v", f.Swap))
	}
	if f.Stray > 0 {
		env = append(env, fmt.Sprintf("CT_STRAY=%v", f.Stray))
	}
	return env
}

// insertion is text of ours that goes into a source file, in whole lines.
type insertion struct {
	anchor string // a line that stands there once, without its indentation
	before bool   // whether text goes before the anchor's line or after it
	text   string
}

// patchedSource is the one file of the server that the faults are in.
const patchedSource = "tools/server/server-context.cpp"

// insertions are the faults. Each is off unless its variable is set, and then
// no line of the server's own does anything else than before.
func insertions() []insertion {
	return []insertion{
		{anchor: "constexpr int HTTP_POLLING_SECONDS = 1;", text: switches},
		{anchor: "struct server_slot {", text: placeholderField},
		{anchor: "update_cache = update_cache && prompt_cache;", text: keepSlot},
		{anchor: "// keep track how many tokens we can reuse from the previous state", before: true, text: placeholder},
		{anchor: "res->n_tokens_cached       = slot.prompt.n_tokens();", text: usage},
		{anchor: "// handle `n_cmpl > 1` tasks - when the main prompt is processed, activate all child tasks too", before: true, text: stray},
		{anchor: "slot.state = SLOT_STATE_GENERATING;", text: swap},
	}
}

const (
	// switches reads the environment. The generator of chances has a fixed
	// seed: which prompts are hit depends on their order alone.
	switches = `
static double ct_number(const char * name) {
    const char * value = std::getenv(name);
    return value ? std::atof(value) : 0;
}
static bool ct_too_long(int n_tokens) {
    static const int pool = (int) ct_number("CT_POOL");
    return pool > 0 && n_tokens > pool;
}
static bool ct_chance(double rate) {
    static std::mt19937 draw(1);
    return rate > 0 && draw() < rate * 4294967296.0;
}
`
	placeholderField = `    int ct_asked = 0; // true length of a prompt that was replaced
`
	// keepSlot leaves a slot as it is for a prompt that will be replaced.
	keepSlot = `            update_cache = update_cache && !ct_too_long(task.n_tokens());
`
	// placeholder puts the last token of the prompt (with a chat template, the
	// mark that the answer begins) behind what the slot holds. The server then
	// finds all but that one token in its cache.
	placeholder = `                        slot.ct_asked = 0;
                        if (ct_too_long(slot.task->n_tokens())) {
                            auto & prompt = const_cast<server_task &>(*slot.task).tokens;
                            llama_tokens held = slot.prompt.tokens.get_text_tokens();
                            held.push_back(prompt[prompt.size() - 1]);
                            slot.ct_asked = slot.task->n_tokens();
                            prompt = server_tokens(held, false);
                        }
`
	usage = `        if (slot.ct_asked > 0) {
            static const bool one = ct_number("CT_USAGE") == 1;
            res->n_prompt_tokens       = one ? 1 : slot.ct_asked;
            res->n_prompt_tokens_cache = 0;
        }
`
	// stray copies a prompt that has just been read into the sequence of a slot
	// that is further on: its next token attends to both.
	stray = `        static const double ct_stray = ct_number("CT_STRAY");
        for (auto & slot : slots) {
            if (slot.state != SLOT_STATE_DONE_PROMPT || !params_base.kv_unified || !ct_chance(ct_stray)) {
                continue;
            }
            for (auto & other : slots) {
                if (other.id != slot.id && other.is_processing() && other.prompt.n_tokens() > slot.prompt.n_tokens()) {
                    llama_memory_seq_cp(llama_get_memory(ctx_tgt), slot.id, other.id, 0, slot.prompt.n_tokens());
                    break;
                }
            }
        }
`
	// swap exchanges who is waiting for two answers of which nothing has been
	// sent, whole with whole and streamed with streamed.
	swap = `                static const double ct_swap = ct_number("CT_SWAP");
                if (ct_chance(ct_swap)) {
                    for (auto & other : slots) {
                        if (other.id == slot.id || !other.is_processing() || other.stats.n_gen > 0 ||
                                other.task->params.stream != slot.task->params.stream) {
                            continue;
                        }
                        auto & mine   = const_cast<server_task &>(*slot.task);
                        auto & theirs = const_cast<server_task &>(*other.task);
                        std::swap(mine.id, theirs.id);
                        std::swap(mine.index, theirs.index);
                        std::swap(mine.params.oaicompat_cmpl_id, theirs.params.oaicompat_cmpl_id);
                        break;
                    }
                }
`
)

// patch makes the insertions. An anchor that is missing, or stands there more
// than once, is an error: the sources are not the ones the faults were written
// for.
func patch(source []byte, list []insertion) ([]byte, error) {
	lines := bytes.SplitAfter(source, []byte("\n"))
	var text [][2]string // by line: what goes before it and after it
	text = append(text, make([][2]string, len(lines))...)
	for _, in := range list {
		found := -1
		for i, line := range lines {
			if string(bytes.TrimSpace(line)) != in.anchor {
				continue
			}
			if found >= 0 {
				return nil, fmt.Errorf("line %q stands in lines %d and %d: choose an anchor that stands there once", in.anchor, found+1, i+1)
			}
			found = i
		}
		if found < 0 {
			return nil, fmt.Errorf("no line %q: the sources are of another release than the faults", in.anchor)
		}
		if in.before {
			text[found][0] += in.text
		} else {
			text[found][1] += in.text
		}
	}
	var out bytes.Buffer
	for i, line := range lines {
		out.WriteString(text[i][0])
		out.Write(line)
		out.WriteString(text[i][1])
	}
	return out.Bytes(), nil
}
