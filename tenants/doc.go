// Package tenants holds the synthetic accounts that crosstalk sends prompts as,
// and the markers that say, wherever they turn up, which of them a text came
// from.
//
// # Marker
//
// A marker is 130 bits that authenticate themselves. They hold a [Payload]
// (tenant, second, a random draw, number of the marker in its prompt) encrypted
// under the [FleetKey], and a tag of 72 bits:
//
//	version 2 | C 56 | T 72
//	T = HMAC-SHA256(K_mac, version || payload), first 72 bits
//	C = payload xor HMAC-SHA256(K_enc, T), first 56 bits
//
// That is the SIV construction: whoever has the key reads and verifies any
// marker from its text alone, without a registry and without having seen it
// before, and two markers of one request look nothing alike. A text made
// without the key holds a verified marker with probability 2^-72 for each
// reading of it that is tried. That is the whole argument why one marker in a
// stranger's answer is proof, and each [Hit] carries the number.
//
// # Dress
//
// The same bits are written in one of two dresses. As words they are 13 of the
// 1,024 words of words-1024.txt, ten bits each, single spaces between: one token
// a word in common tokenizers, and nothing that a model would take for a secret.
// As a code they are 26 characters of Crockford's base32 (digits and letters
// without i, l, o, u) in lower case, grouped 5-5-5-5-6 by hyphens. Not every
// payload makes a usable marker: words must all differ, since models trip over
// repetitions, and a code must have six digits and a group with letters besides,
// so that it cannot be taken for prose. The [Minter] draws again where they do
// not: for one phrase in fourteen, one code in seven.
//
// # Reading
//
// [Codec.Find] reads markers as models return them: in other case, wrapped,
// numbered, quoted, emphasised, hyphenated, as list or JSON, and with one edit:
// a word (or a character of a code) that is another, one missing, or one too
// many. [Runs] finds stretches of marker words that are too short or too damaged
// to verify: candidates for a comparison with the markers that are due, never a
// proof by themselves.
//
// # Chance
//
// PChance of a hit is the number of readings tried in its text, times 2^-72, for
// each fleet key. A window of the text is read so often:
//
//	as it is, or by first letters             1
//	14 words, one of them too many           14, 1 if one is strange
//	13 words, one of them another        13,312, 1,024 if one is strange
//	12 words, one lost                   13,312
//	27, 26, 25 characters of a code   27, 832, 832, likewise
//
// Readings with an edit are at most 2^20 in a text, so that the bound stays
// below 1e-12 for any text of less than a gigabyte.
//
// # Keys
//
// A [Credential] opens an account at a target and is read by reference when
// needed. The [FleetKey] is the root of everything in this package. Neither can
// be printed.
package tenants
