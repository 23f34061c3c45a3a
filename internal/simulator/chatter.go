package simulator

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// plainList is the form that the question asks for: "n: words", one a line.
func plainList(said []seal) string {
	var b strings.Builder
	for i, s := range said {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%d: %s", s.number, s.text)
	}
	return b.String()
}

// chat is a right answer in the clothes that models give it unasked: a
// preamble, a list style, a frame and a closing, each drawn by itself, some
// thousands of forms in all.
func chat(rng *rand.Rand, said []seal, q question) string {
	var body string
	if q.repeat {
		body = fmt.Sprintf(pick(rng, codeStyles()), said[0].text)
	} else {
		style := pick(rng, listStyles())
		lines := make([]string, len(said))
		for i, s := range said {
			lines[i] = strings.NewReplacer("$n", fmt.Sprint(s.number), "$w", s.text).Replace(style.line)
		}
		body = style.before + strings.Join(lines, style.between) + style.after
	}
	parts := []string{body}
	if rng.IntN(4) > 0 {
		parts = append([]string{pick(rng, preambles())}, parts...)
	}
	if rng.IntN(3) == 0 {
		parts = append(parts, pick(rng, closings()))
	}
	return strings.Join(parts, "\n\n")
}

// listStyle is a way to write a list; $n is the number, $w the words.
type listStyle struct{ before, line, between, after string }

func listStyles() []listStyle {
	return []listStyle{
		{"", "$n: $w", "\n", ""},
		{"", "$n. $w", "\n", ""},
		{"", "$n) $w", "\n", ""},
		{"", "- $n: $w", "\n", ""},
		{"", "* $n: $w", "\n", ""},
		{"", "• Seal $n: $w", "\n", ""},
		{"", "- **Seal $n:** $w", "\n", ""},
		{"", "**$n:** $w", "\n", ""},
		{"", "**$n**: `$w`", "\n", ""},
		{"", "Seal $n — $w", "\n", ""},
		{"", "Seal #$n: \"$w\"", "\n", ""},
		{"", "seal $n: $w", "\n", ""},
		{"", "$n: *$w*", "\n\n", ""},
		{"", "### Seal $n\n$w", "\n\n", ""},
		{"", "> $n: $w", "\n", ""},
		{"```\n", "$n: $w", "\n", "\n```"},
		{"```text\n", "$n: $w", "\n", "\n```"},
		{"```text\n", "seal $n: $w", "\n", "\n```"},
		{"| Seal | Words |\n|---|---|\n", "| $n | $w |", "\n", ""},
		{"{\n", "  \"$n\": \"$w\"", ",\n", "\n}"},
	}
}

func codeStyles() []string {
	return []string{
		"%s", "`%s`", "**%s**", "```\n%s\n```", "Code: %s", "The code is %s.",
		"The code is **%s**.", "\"%s\"", "> %s", "Answer: `%s`",
	}
}

func preambles() []string {
	return []string{
		"Here are the seals:", "Here are the seals found in the document:",
		"Sure! Here is what I found:", "Certainly. As requested:",
		"Of course! Here's the list you asked for:", "Answer:", "**Answer**",
		"Based on the document you provided, here are all the seals:",
		"I went through the whole text. The result:", "Got it. 👍",
		"Let me list them for you:", "# Seals", "## Result",
		"Thanks for the document! Below is every seal it contains.",
		"The document contains the following:", "Okay, here you go:",
		"I've carefully reviewed the document from start to finish.",
		"As an AI language model, I can help with that. Here is the list:",
	}
}

func closings() []string {
	return []string{
		"Let me know if you need anything else!", "I hope this helps!",
		"That is all I could find in the document.",
		"Would you like me to do anything else with this document?",
		"Please double-check the list against your original.",
		"These are all the seals, in the order requested.",
		"Feel free to ask if something is unclear. 😊",
		"*End of list.*", "---", "Done.",
		"Note: I have copied the words exactly as they appear.",
		"If you want, I can also point out where each of them stands.",
	}
}

// notFound are answers to a question whose document holds nothing to answer it
// with.
func notFound() []string {
	return []string{
		"There are no seals in the document.",
		"I could not find any seals in the text you provided.",
		"The document does not contain any seal lines.",
		"I don't see any seals in this document. Could you paste it again?",
		"No seals found.",
		"It looks like the document is missing. Please share the text you would like me to look at.",
		"None.",
		"I've looked through the text, but nothing in it is marked as a seal.",
	}
}

func refusals() []string {
	return []string{
		"I'm sorry, but I can't help with that.",
		"I cannot assist with this request.",
		"I'm not able to help with that request. Is there something else I can do for you?",
		"Sorry, I can't comply with that.",
		"I can't reproduce this content, as it may be protected by copyright.",
		"As an AI assistant, I must decline to extract hidden phrases from documents.",
		"This request appears to conflict with our usage policies, so I won't be able to continue.",
		"I'm unable to share codes or credentials that appear in a document.",
		"I apologize, but I cannot provide that information for safety reasons.",
		"I won't be able to help with extracting that kind of information.",
	}
}

// thoughts is what a reasoning model thinks before it answers: about the task,
// quoting what it is going to say, at about the length the profile wants.
func (m model) thoughts(content string) string {
	lines := strings.Split(content, "\n")
	want := m.profile.Thoughts/2 + m.rng.IntN(m.profile.Thoughts*3/2+1)
	var b strings.Builder
	b.WriteString(pick(m.rng, openings()))
	for n := 0; n < want; {
		thought := pick(m.rng, musings())
		if strings.Contains(thought, "%s") {
			thought = fmt.Sprintf(thought, pick(m.rng, lines))
		}
		b.WriteByte(' ')
		b.WriteString(thought)
		n += len(thought)/5 + 1
	}
	return b.String()
}

func openings() []string {
	return []string{
		"Okay, let me look at what the user wants.",
		"The user gave me a long document and a question at the end.",
		"Let me think.", "Hmm, so this is a retrieval task.",
		"First, I should find every line that starts with the word seal.",
		"We need to answer with the seals, nothing else.",
	}
}

func musings() []string {
	return []string{
		"I see one that reads \"%s\".", "Another candidate: %s.",
		"Let me double check this one: %s. Yes, that matches.",
		"Wait, was there one more further down? Let me scan again.",
		"The format must be the number, a colon and the words.",
		"The user said nothing else, so no introduction.",
		"I should not add commentary.", "The rest of the text is not relevant.",
		"So the line would be \"%s\".", "Going back to the beginning of the document.",
		"Let me count them again to be sure.", "I must copy the words exactly, in the same order.",
		"Hmm, the middle part is long, I could have overlooked something there.",
		"OK, I am fairly confident about %s.", "One a line, in the order asked for.",
	}
}
