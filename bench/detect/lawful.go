package detect

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"crosstalk/checks"
)

//go:embed data/lawful.txt
var lawfulText string

// openText is a lawful answer to an open question, by the heading it stands
// under.
type openText struct{ kind, text string }

// openTexts reads data/lawful.txt: texts under lines "=== kind".
var openTexts = sync.OnceValue(func() []openText {
	var all []openText
	for part := range strings.SplitSeq("\n"+lawfulText, "\n=== ") {
		kind, text, ok := strings.Cut(part, "\n")
		if ok && !strings.HasPrefix(part, "#") && strings.TrimSpace(kind) != "" {
			all = append(all, openText{strings.TrimSpace(kind), strings.Trim(text, "\n")})
		}
	}
	return all
})

// lawfulRows are right answers in the dresses that models give them: none may be
// called leak or foreign, and hardly any damaged.
func lawfulRows() []transform {
	const class = "lawful, answer known"
	row := func(name string, f func(s *sound, text string) string) transform {
		return transform{class: class, name: name, want: correct, bar: known, change: content(f)}
	}
	openers := []string{
		"Sure! Here are the seals:", "Here is the complete list of seal phrases, in order:", "Certainly, these are all the seals in the document.",
		"**Seal phrases**", "# Seals", "Natürlich, hier ist die Liste der Siegel:", "Voici la liste complète des phrases du document :",
		"Aquí tienes la lista de todas las frases del documento:", "Ecco l'elenco completo delle frasi contenute nel documento:",
	}
	closers := []string{"", "Let me know if you need anything else!", "I hope this helps.", "These are all the seals in the document.", "Total: 5 seal phrases."}
	each := func(form string) func(*sound, string) string {
		return func(s *sound, _ string) string {
			var b strings.Builder
			for i, m := range s.own.prompt.Markers() {
				fmt.Fprintf(&b, form+"\n", i+1, m.Text)
			}
			return b.String()
		}
	}
	return []transform{
		row("plain", func(_ *sound, text string) string { return text }),
		row("preamble and close", func(s *sound, text string) string {
			return strings.TrimSpace(pick(s.r, openers...) + "\n\n" + text + "\n\n" + pick(s.r, closers...))
		}),
		// One letter of a script that the prompt does not use is damage on a
		// closed task, so a greeting in one is; it must not be worse.
		{class: class, name: "preamble in another script", want: []checks.Class{checks.Sound, checks.Damaged}, bar: known, change: content(func(s *sound, text string) string {
			return pick(s.r, "Вот все фразы из документа по порядку:", "好的，以下是文档中的所有密封短语：") + "\n" + text
		})},
		row("code fence", func(_ *sound, text string) string { return "```\n" + text + "\n```" }),
		row("bullets and bold", each("- **%d:** %s")),
		row("table rows", each("| %d | %s |")),
		row("upper case", func(_ *sound, text string) string { return strings.ToUpper(text) }),
		row("quotes", each("%d: \"%s\"")),
		{class: class, name: "reasoning before it", want: correct, bar: known, change: func(s *sound) {
			s.reply.Reasoning = "The user wants every seal in order. The first one is " + s.lines()[0] + ". Then there is a lot of filler such as \"" +
				strings.SplitN(s.prose(1), "\n", 2)[0] + "\", which I ignore. Let me check that I have all five. Yes. I will write n: words and nothing else."
		}},
		{class: class, name: "refusal", want: lawful, bar: known, change: content(func(s *sound, _ string) string {
			return pick(
				s.r, "I'm sorry, but I can't help with that.", "I cannot reproduce the content of this document, as it may violate our usage policies.",
				"Es tut mir leid, aber ich kann dabei nicht helfen.", "Je suis désolé, je ne peux pas vous aider avec cette demande.",
			)
		})},
	}
}

// openRows are lawful texts judged as a log is, without the right answer.
func openRows() []transform {
	const class = "lawful, open text"
	seen := map[string]bool{}
	var rows []transform
	for _, t := range openTexts() {
		if seen[t.kind] {
			continue
		}
		seen[t.kind] = true
		rows = append(rows, transform{class: class, name: t.kind, want: lawful, bar: 1, change: func(s *sound) {
			var of []string
			for _, o := range openTexts() {
				if o.kind == t.kind {
					of = append(of, o.text)
				}
			}
			s.recorded = true
			s.reply.Content = of[s.number%len(of)]
		}})
	}
	return rows
}
