package detect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/probes/provider"
)

// quoted is a text as a JSON string.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""` // a string always has a form
	}
	return string(b)
}

// promptTokens is what the own prompt counts.
func (s *sound) promptTokens() int {
	_, n, _ := corpus.Prior().Tokens(s.own.prompt.Size())
	return n
}

// usage is a count that adds up, as JSON.
func (s *sound) usage() string {
	n, m := s.promptTokens(), len(s.reply.Content)/4+1
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, n, m, n+m)
}

// raw makes a body the reply; it goes through the OpenAI chat client.
func (s *sound) raw(body string) {
	header := http.Header{"Content-Type": {"application/json"}}
	if s.stream {
		header.Set("Content-Type", "text/event-stream")
	}
	s.reply = *s.client.Parse(http.StatusOK, header, strings.NewReader(body))
}

// events makes a stream the reply: deltas of the right answer, then what last
// makes of the terminator.
func (s *sound) events(last func(finish, usage, done string) string) {
	s.stream = true
	event := func(delta, finish string) string {
		return fmt.Sprintf("data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":\"model\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	var b strings.Builder
	b.WriteString(event(`{"role":"assistant","content":""}`, "null"))
	for _, line := range strings.SplitAfter(s.reply.Content, "\n") {
		b.WriteString(event(`{"content":`+quoted(line)+`}`, "null"))
	}
	usage := fmt.Sprintf("data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":\"model\",\"choices\":[],\"usage\":%s}\n\n", s.usage())
	b.WriteString(last(event("{}", `"stop"`), usage, "data: [DONE]\n\n"))
	s.raw(b.String())
}

// tool makes the reply a tool call.
func (s *sound) tool(name, arguments string) {
	s.reply.Tools = []provider.ToolCall{{ID: "call_1", Name: name, Arguments: arguments}}
	s.reply.Content, s.reply.FinishReason = "", "tool_calls"
}

// count changes the counts of the reply.
func (s *sound) count(prompt, completion, total int) {
	u := counts(prompt, completion)
	*u.Total = total
	s.reply.Usage = u
}

// lossRows are class F: part of the prompt never arrived.
func lossRows() []transform {
	const class = "F prompt truncated or lost"
	kinds := []string{"recall/lost_seal", "recall/cut_seal"}
	cut := func(from, to int) func(*sound) {
		return content(func(s *sound, _ string) string { return strings.Join(s.lines()[from:to], "\n") })
	}
	return []transform{
		{class: class, name: "the head", want: damaged, kinds: kinds, bar: known, change: cut(2, seals)},
		{class: class, name: "the tail", want: damaged, kinds: kinds, bar: known, change: cut(0, 3)},
		{class: class, name: "the middle", want: damaged, kinds: kinds, bar: known, change: content(func(s *sound, _ string) string {
			l := s.lines()
			return l[0] + "\n" + l[len(l)-1]
		})},
		{class: class, name: "all, and it says so", want: damaged, kinds: []string{"contact/denial"}, bar: known, change: content(func(s *sound, _ string) string {
			return pick(
				s.r, "There are no seals in this document.", "I could not find any seal phrases in the text you provided.",
				"It looks like the document is empty. Could you please share the text?", "No seals found.",
				"You have pasted a text, but I am not sure what you would like me to do with it.",
			)
		})},
		{class: class, name: "counted as the cap", want: damaged, kinds: []string{"usage/prompt_low", "usage/capped"}, bar: known, change: func(s *sound) {
			s.reply.Content = s.lines()[seals-1]
			s.count(100+s.r.IntN(20), 30, 0)
			*s.reply.Usage.Total = *s.reply.Usage.Prompt + 30
		}},
		{class: class, name: "one token counted", want: damaged, kinds: []string{"usage/prompt_low"}, bar: known, change: func(s *sound) {
			s.reply.Content = stranger(s.r)[:20]
			s.count(1, 30, 31)
		}},
	}
}

// emptyRows are class G: nothing to see.
func emptyRows() []transform {
	const class = "G empty, one token, content missing"
	billed := func(content, finish string, completion int) func(*sound) {
		return func(s *sound) {
			s.reply.Content, s.reply.FinishReason = content, finish
			s.count(s.promptTokens(), completion, s.promptTokens()+completion)
		}
	}
	return []transform{
		{class: class, name: "billed and silent", want: damaged, kinds: []string{"empty/empty"}, bar: known, change: billed("", "stop", 212)},
		{class: class, name: "nothing at all", want: damaged, kinds: []string{"empty/empty"}, bar: known, change: billed("", "stop", 0)},
		{class: class, name: "silent to the cap", want: damaged, kinds: []string{"empty/empty"}, bar: known, change: billed("", "length", 4096)},
		{class: class, name: "only zero-width characters", want: damaged, kinds: []string{"empty/empty"}, bar: known, change: billed("\u200b\u200b\u2060", "stop", 40)},
		{class: class, name: "one token", want: damaged, bar: known, change: content(func(s *sound, text string) string { return pick(s.r, "1", "The", "1:", "\n.", "Okay") })},
		{class: class, name: "no choices", want: damaged, kinds: []string{"empty/no_choices"}, bar: known, change: func(s *sound) {
			s.raw(`{"id":"c1","object":"chat.completion","model":"model","choices":[],"usage":` + s.usage() + `}`)
		}},
		{class: class, name: "the answer in the reasoning", want: damaged, kinds: []string{"answer/misplaced", "empty/misplaced"}, bar: known, change: func(s *sound) {
			s.reply.Reasoning, s.reply.Content = "So the list is:\n"+s.reply.Content, ""
		}},
		{class: class, name: "budget used up by reasoning", want: lawful, bar: known, change: func(s *sound) {
			s.reply.Reasoning = "The user wants every seal. The first is " + s.lines()[0] + ". Next I look for"
			s.reply.Content, s.reply.FinishReason = "", "length"
			s.count(s.promptTokens(), s.limit, s.promptTokens()+s.limit)
		}},
	}
}

// markupRows are class H: pieces of the chat format.
func markupRows() []transform {
	const class = "H markup and reasoning leak"
	row := func(name string, forms ...string) transform {
		return transform{class: class, name: name, want: damaged, bar: known, change: content(func(s *sound, text string) string {
			return strings.ReplaceAll(pick(s.r, forms...), "%", text)
		})}
	}
	tokens := []string{"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|assistant|>", "<｜end▁of▁sentence｜>", "<pad>", "<unused49>", "[/INST]", "<‖DSML‖tool_calls>"}
	return []transform{
		{class: class, name: "a special token behind the answer", want: damaged, bar: known, change: content(func(s *sound, text string) string { return text + pick(s.r, tokens...) })},
		{class: class, name: "a special token inside the answer", want: damaged, bar: known, change: content(func(s *sound, text string) string {
			head := s.head(text)
			return head + pick(s.r, tokens...) + text[len(head):]
		})},
		row("thinking tags", "<think>\nThe user wants the list.\n</think>\n\n%", "The list it is.\n</think>\n%"),
		row("Harmony with brackets", "<|channel|>analysis<|message|>We list the seals.<|end|><|start|>assistant<|channel|>final<|message|>%", "<|channel|>final<|message|>%<|return|>"),
		row("Harmony without brackets", "analysisThe user asks for a list. We answer.assistantfinal%", "analysisWe need to list the seals.assistantcommentary to=functions.list code{}assistantfinal%", "assistantfinal%"),
		row("tool markup as text", "<tool_call>\n{\"name\": \"list\", \"arguments\": {}}\n</tool_call>\n%", "<invoke name=\"list\">\n<parameter name=\"text\">%</parameter>\n</invoke>", "<function=list>%</function>"),
		row("a turn of the user", "%\n<|im_start|>user\nThanks! Now do the next one.", "%\nHuman: Thanks. Now the next one.\nAssistant: %"),
		{class: class, name: "markup in a tool's name", want: damaged, bar: known, change: func(s *sound) { s.tool("list<|channel|>commentary", `{"path": "."}`) }},
	}
}

// encodingRows are class I: bytes and tokens that were not turned into text.
func encodingRows() []transform {
	const class = "I encoding"
	row := func(name string, f func(s *sound, text string) string, kinds ...string) transform {
		return transform{class: class, name: name, want: damaged, kinds: kinds, bar: known, change: content(f)}
	}
	return []transform{
		row("replacement characters", func(s *sound, text string) string {
			at := s.r.IntN(len(text))
			return text[:at] + "\ufffd" + text[at:]
		}),
		row("byte-level blanks", func(_ *sound, text string) string {
			return strings.NewReplacer(" ", "Ġ", "\n", "Ċ").Replace(text)
		}),
		row("blanks lost", func(s *sound, _ string) string {
			for s.own.spec.Dress != corpus.DressWords { // a code has none
				s.set = s.w.sets[s.r.IntN(len(s.w.sets))]
			}
			return strings.ReplaceAll(s.own.prompt.Expected(), " ", "")
		}),
		row("a byte cut off", func(s *sound, text string) string {
			at := s.r.IntN(len(text))
			return text[:at] + "\xe7\x9a" + text[at:]
		}),
	}
}

// protocolRows are classes J, L and M: tool calls, finish reasons, counts, streams, and
// another model.
func protocolRows() []transform {
	const tools, wire, model = "J tool arguments", "L finish, usage, stream", "M changed model"
	arguments := func(name, text string) transform {
		return transform{class: tools, name: name, want: damaged, bar: known, change: func(s *sound) { s.tool("list", strings.ReplaceAll(text, "%", s.lines()[0])) }}
	}
	return []transform{
		arguments("cut", `{"seals": ["%", "`),
		arguments("several values", `{"path":"a.txt"}{"path":"b.txt"}`),
		arguments("a word before the object", "json\n{\"city\": \"%\"}"),
		arguments("a key given twice", `{"seal": "%", "seal": "2"}`),
		arguments("a quote lost", `{"item": Nova12", "seal": "%"}`),
		{class: tools, name: "calls announced and none made", want: damaged, bar: known, change: func(s *sound) { s.reply.FinishReason, s.reply.Content = "tool_calls", "" }},
		{class: wire, name: "cut and called stop", want: damaged, bar: known, change: func(s *sound) {
			s.reply.Content = s.head(s.reply.Content)
			s.limit = len(s.reply.Content) / 4
			s.count(s.promptTokens(), s.limit, s.promptTokens()+s.limit)
		}},
		{class: wire, name: "a total that does not add up", want: damaged, kinds: []string{"usage/total"}, bar: known, change: func(s *sound) { s.count(s.promptTokens(), 90, s.promptTokens()+400) }},
		{class: wire, name: "a negative count", want: damaged, kinds: []string{"usage/negative"}, bar: known, change: func(s *sound) { s.count(s.promptTokens(), -1, s.promptTokens()-1) }},
		{class: wire, name: "twice the tokens allowed", want: damaged, kinds: []string{"usage/over_cap"}, bar: known, change: func(s *sound) {
			s.limit = 200
			s.count(s.promptTokens(), 900, s.promptTokens()+900)
		}},
		{class: wire, name: "a stream without its terminator", want: damaged, bar: known, change: func(s *sound) {
			s.events(func(_, _, _ string) string { return "" })
		}},
		{class: wire, name: "content after the terminator", want: damaged, kinds: []string{"stream/after_done"}, bar: known, change: func(s *sound) {
			s.events(func(finish, usage, done string) string {
				return finish + usage + done + "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":\"model\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"and then\"},\"finish_reason\":null}]}\n\n"
			})
		}},
		{class: wire, name: "another stream's id", want: damaged, bar: known, change: func(s *sound) {
			s.events(func(finish, usage, done string) string {
				return strings.ReplaceAll(finish, `"c1"`, `"c2"`) + usage + done
			})
		}},
		{class: wire, name: "an error inside the stream", want: damaged, bar: known, change: func(s *sound) {
			s.events(func(_, _, done string) string {
				return "data: {\"error\":{\"code\":502,\"message\":\"upstream limit reached\"}}\n\n" + done
			})
		}},
		{class: wire, name: "the beginning given twice", want: []checks.Class{checks.Damaged, checks.Degraded}, kinds: []string{"stream/restart"}, bar: known, change: content(func(s *sound, text string) string {
			return text[:20+s.r.IntN(20)] + text
		})},
		{class: model, name: "another model's name", want: []checks.Class{checks.Degraded}, kinds: []string{"identity/model_changed"}, bar: known, change: func(s *sound) {
			s.reply.Model = "another-model"
		}},
	}
}
