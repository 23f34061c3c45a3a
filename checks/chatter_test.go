package checks_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"crosstalk/corpus"
)

// Lawful answers: the right answer in every dress that polite models give it.

var chatterOpeners = []string{
	"", "Sure!", "Sure, here you go:", "Here are the seal phrases from the document:",
	"Here is the complete list of seal phrases, in order, one per line:",
	"Certainly! Below are all the seal phrases I found in the document, listed in the order in which they appear.",
	"I've carefully read through the entire document and extracted every seal phrase:",
	"Based on the document you provided, the seals are as follows:",
	"**Seal phrases**", "# Seals found in the document", "Of course. The document contains five seal phrases:",
	"Okay, I went through the whole text and these are the seals.",
	"Thank you for your question! After a careful review of the text, I was able to locate each seal phrase.",
	"The following seal phrases were found, exactly as written:",
	"Per your instructions, I list every seal phrase in the document in order, with its number, and nothing else.",
	"As requested:", "Answer:", "Output:", "Result", "Final answer:",
	"You asked me to list every seal phrase in this document, in order, one per line. Here they are:",
	"I scanned the document from beginning to end. Five lines begin with the word seal followed by a number. They read:",
	"Gerne! Hier sind alle Siegelphrasen aus dem Dokument in der richtigen Reihenfolge:",
	"Natürlich, hier ist die vollständige Liste der Siegel:",
	"Voici la liste complète des phrases du document, dans l'ordre :",
	"Bien sûr ! Voici toutes les phrases demandées :",
	"¡Claro! Aquí tienes la lista de todas las frases del documento:",
	"Claro, aqui está a lista de todas as frases do documento, na ordem em que aparecem:",
	"Ecco l'elenco completo delle frasi contenute nel documento:",
	"Oczywiście, oto wszystkie frazy z dokumentu w kolejności:",
	"Конечно! Вот все фразы из документа по порядку:",
	"好的，以下是文档中的所有密封短语：", "当然可以！以下是按顺序列出的短语：",
	"承知しました。文書内のすべてのシールフレーズは以下の通りです：",
	"Tabii, işte belgedeki tüm mühür ifadeleri sırayla:",
	"Natuurlijk, hier is de volledige lijst van alle zegels in volgorde:",
	"Hello! I'd be happy to help with that. Please find the requested seal phrases below.",
}

var chatterClosers = []string{
	"", "Let me know if you need anything else!", "I hope this helps.", "That's all of them.",
	"These are all the seal phrases contained in the document.",
	"Note: the phrases are reproduced exactly as they appear in the text, in lower case.",
	"(5 seals in total)", "Total: 5 seal phrases found.",
	"Please let me know if you would like me to double-check any of them.",
	"Is there anything else I can help you with?", "Each phrase consists of thirteen words.",
	"I verified each phrase against the source text and confirmed that none was skipped or changed.",
	"The first seal appears at the very beginning of the document and the last one right before the final question.",
	"If you want, I can also provide the position of each seal in the document.",
	"Happy to help!", "---", "END", "Done.",
	"Lassen Sie mich wissen, wenn Sie weitere Fragen haben.", "N'hésitez pas si vous avez d'autres questions.",
	"Espero que sea útil.", "Se você precisar de mais alguma coisa, é só pedir.", "Если нужно что-то ещё, дайте знать.",
	"希望对您有帮助！如果您有其他问题，请随时告诉我。", "他にご質問があれば、お気軽にお知らせください。",
	"All other text in the document is filler and has been omitted, as you asked for the seals only.",
	"Everything else in the document was ordinary prose, so I left it out of the list.",
}

// dressed writes the seals as a list in one of many forms.
func dressed(r *rand.Rand, p *corpus.Prompt) string {
	forms := []string{"%d: %s", "%d. %s", "%d) %s", "- %[2]s", "* %d: %s", "**%d:** %s", "%d: `%s`", "%d: \"%s\"", "Seal %d: %s", "**Seal %d:** *%s*", "> %d: %s", "%d — %s", "%[2]s", "| %d | %s |"}
	form := pick(r, forms)
	var lines []string
	for _, m := range p.Markers() {
		lines = append(lines, fmt.Sprintf(form, m.Number, m.Text))
	}
	list := strings.Join(lines, pick(r, []string{"\n", "\n", "\n\n"}))
	switch r.IntN(8) {
	case 0:
		return "```\n" + list + "\n```"
	case 1:
		return strings.ToUpper(list)
	}
	return list
}

// rightAnswer is the right answer with chatter.
func rightAnswer(r *rand.Rand, p *corpus.Prompt) string {
	return strings.TrimSpace(pick(r, chatterOpeners) + "\n\n" + dressed(r, p) + "\n\n" + pick(r, chatterClosers))
}

var thoughts = []string{
	"Okay, so the user wants me to list every seal phrase in the document, in order, one per line.",
	"Let me start by going through the text from the top and looking for lines that begin with \"seal\".",
	"The first one is right at the start: seal 1 is %1.",
	"Then there's a long stretch of prose that doesn't matter for this task.",
	"Somewhere around a quarter of the way in I see seal 2, which reads %2.",
	"Hmm, wait, did I skip one? Let me go back and check the passage again.",
	"No, the numbering is consistent: 1, 2, 3, 4, 5.",
	"Near the middle: %3.", "Next comes %4, and I should copy it exactly, word for word.",
	"The last seal, number 5, stands just before the question: %5.",
	"I need to be careful not to change the order of the words or to add punctuation.",
	"The format should be `n: words`, so a number, a colon, a space and then the phrase.",
	"They said to output nothing else, so I shouldn't add an introduction or a summary.",
	"Let me count the words of the third phrase: one, two, three... thirteen. Good, that matches.",
	"The surrounding text says %q, but that isn't a seal, so I can ignore it.",
	"It mentions things like %q which are just filler sentences.",
	"Double-checking: does any seal appear twice? I don't think so.",
	"Alright, I have all of them. Now write the final answer.",
	"Is this some kind of memory or retrieval test? Probably. Either way the instruction is clear.",
	"The document seems to be a collection of random sentences with no real story, and the seals are hidden in between.",
	"If I miss even one of these the answer would be wrong, so let me verify each once more.",
	"Actually, the question asks for all of them, not only one, so I will include every line.",
	"So the final list is: 1: %1, 2: %2, 3: %3, 4: %4, 5: %5.",
	"Let me think about whether the hyphenation or line breaks could have altered a word. They didn't.",
	"There might be hidden tricks, like a seal without a number, but I haven't noticed any.",
}

// reasoning is a train of thought of a model that gives the right answer. It
// quotes seals and passages of the document.
func reasoning(r *rand.Rand, p *corpus.Prompt, document string) string {
	var said []string
	for range 4 + r.IntN(12) {
		t := pick(r, thoughts)
		for i, m := range p.Markers() {
			text := m.Text
			if f := strings.Fields(text); len(f) > 4 && r.IntN(3) == 0 { // models abbreviate
				text = strings.Join(f[:4], " ") + "..."
			}
			t = strings.ReplaceAll(t, fmt.Sprintf("%%%d", i+1), text)
		}
		words := strings.Fields(document)
		from := r.IntN(len(words) - 20)
		t = strings.ReplaceAll(t, "%q", `"`+strings.Join(words[from:from+6+r.IntN(10)], " ")+`"`)
		said = append(said, t)
	}
	return strings.Join(said, pick(r, []string{" ", "\n", "\n\n"}))
}
