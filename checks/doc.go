// Package checks judges finished rounds: is each answer the right one, is it
// whole, did it come from our prompt, and is there anything in it that belongs
// to somebody else?
//
// # How a round is judged
//
// A [Check] looks for one kind of damage. It is given an [Input], a frozen
// round with all that may be known about it, and returns findings. It does no
// I/O, reads no clock and changes nothing, so the same round can be judged
// again years later with the same result. [Run] runs a list of checks and
// reduces their findings to one verdict for each exchange.
//
// A [Finding] has a [Class]. From the worst:
//
//   - leak: content of ours from another tenant's prompt, proved. The chance
//     of an accident is computed and is below 1e-12.
//   - foreign: a closed task was answered with content that has no contact
//     with our prompt. Whose it is, nobody here knows; it may be a stranger's.
//   - damaged: the answer is wrong, parts of it are lost, or the protocol lies.
//   - inconclusive: could not tell. It is the zero value, and never a pass.
//   - degraded: a rate or a sign that means nothing alone.
//   - sound: the known answer, whole.
//
// The verdict of an exchange is the worst class among its findings, and no
// exchange is sound unless a check says so: silence is inconclusive.
//
// # Three questions
//
// Is another tenant's marker here? `foreignmarker` finds whole markers,
// `foreignfragment` pieces of markers and passages of filler, `foreignfact` names
// and figures that were translated or told in other words, `swap` whole answers.
// They prove, and name the donor, but see only donors that are ours.
//
// Does the answer have contact with our prompt? Contact is an own marker, three
// words of one in a row, or five words of our prompt in a row, in the answer or
// its reasoning. A fluent answer without contact is how stale memory of a
// stranger looks from outside: `contact`. The same text standing beside a right
// answer is `foreigncontent`.
//
// Is it the right answer? `answer` compares the whole of it with the one that
// is known, `recall` says which seals are lost, at what depth, and how.
//
// The other checks judge form: they explain why an answer is wrong.
//
// # Words
//
// A seal is a marker in its place in a document. An answer format is the lines
// "n: words" that a prompt asks for. Chatter is what a polite model adds around
// an answer. Register is the closed vocabulary of chatter, data/register.txt.
// The look-back is the list of prompts sent recently by any of our tenants.
//
// Adding a check is one file with an unexported type, a folder of vectors in
// testdata, a runbook, and a line in [All].
package checks
