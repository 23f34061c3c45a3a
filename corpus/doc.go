// Package corpus makes prompts whose right answer is known and whose every
// passage can be traced.
//
// A prompt is never stored. A 32-byte [Key] and a small [Spec] determine each
// of its bytes, so any part of any prompt ever sent can be made again when an
// answer has to be judged, years later if need be:
//
//	p, err := corpus.New(key, spec, markers)
//	io.Copy(body, p.Reader()) // p.Size() bytes, one page in memory at a time
//	answer == p.Expected()
//
// # Words
//
// Filler is the bulk of a prompt: sentences, one a line, that mean nothing and
// were never written before. A family is one kind of filler, such as prose or
// code: templates with slots, and lists of words to fill them. There are prose,
// code, logs, tables, random words, and prose of other languages: German, Russian,
// Chinese and Arabic, since engines treat other scripts on other paths (more
// tokens a character, several bytes a letter). Families are data (data/v1): a new
// one is new files and nothing else.
//
// A page is a fixed number of sentences, at least 100 tokens in any tokenizer.
// Page i is seeded by key and number alone: it is made by itself, in any order,
// in microseconds. A prompt has up to [MaxPages].
//
// The locator is one sentence of each page. Its five words say, in 40 bits,
// which page of which prompt it stands in: 16 bits of request hash, 15 of page
// number and 9 check bits, which take the key. [FindLocators] reads it out of
// any text. It names a few candidates and proves nothing; that the passages
// around it are those of the candidate's page does: [Prompt.MatchPages].
//
// A seal is a line of the document that holds a marker: "seal 2: ...". What a
// marker is, package tenants knows; here it is a string. The first seal stands
// at the beginning, the last at the end, the others evenly between, moved a
// little by the key.
//
// A named fact is a line with invented names and numbers, of the key as well.
// What is left of a passage that was translated or put into other words is its
// names and figures: [FindNames] and [Fact.Match] find those, [FactMatch.Chance]
// says what they prove.
//
// The task is what the last lines of the prompt, the question, ask for: every
// seal (TaskSeals) or the one code in the text (TaskEcho). [Prompt.Expected] is
// the one right answer.
//
// A prefix is filler under a key of its own that several prompts begin with:
// they are warm, as far as a cache of the target knows the prefix. A prompt
// without is cold and begins with a seal.
//
// # Passages in common
//
// A run of words that an answer has in common with a prompt is evidence of
// contact, since runs are rarely equal by accident: any five words in a row are
// one of at least 2^23, on average of 2^37 possible runs. Measured on pairs of
// prompts of a million tokens (630,000 words of prose, 597,000 of code) with
// different keys: two runs of 5 words or more in common per pair, none of 6 in
// prose and one in code, none of 7 in four pairs of each. A text of 500 words of
// one prompt so shares a run of 5 with another prompt in 1 of 500 cases. Across
// families of one language runs of 5 words are as rare as within one; with other
// languages and with ordinary text runs of 5 in common were not seen. Chinese is
// written without spaces, so that its words here are the clauses between two
// marks, of two to ten characters.
//
// # Promise
//
// Published data and grammar are never edited. A change is a new [Version], and
// a Spec of an old one gives the same bytes for ever, on every platform: all
// choices are made in integers from SHA-256 and ChaCha8, and golden files pin
// the result.
//
// Package corpus does no I/O and reads no clock.
package corpus
