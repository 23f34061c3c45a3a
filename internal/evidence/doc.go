// Package evidence keeps what an answer really was when something was found in
// it, so that it can be judged again later, and keeps it so that nobody but the
// operator can read it: the content may be a stranger's private data.
//
// # Record
//
// A [Record] is one round with all that its judgement depended on but the fleet
// keys: the bytes that came back, what gives the prompts' bytes, the
// prompts that were live then, what was known of the target, and what the checks
// said. [Record.Judge] judges it from scratch: the bytes are decoded anew, the
// prompts are rebuilt from their key, and every check runs. The same function serves
// twice. Before a leak or foreign content is called, the pipeline judges the
// record of the round, and what does not come out the same way is not called:
// our own mistake is then the first suspect. And a person judges it again with
// later checks, by replay.
//
// # Sealing
//
// A record is sealed with age (age-encryption.org) to the recipients of the
// configuration, as soon as it is made and before the round is saved. A
// [Sealer] has public keys only, so that the process that wrote a record cannot
// read it back; an identity, the matching secret key, stays with a person and is
// named when evidence is opened. Without a recipient nothing is kept but hashes,
// lengths, offsets and classes, which are the ledger's.
//
// # Envelope
//
// An envelope is a file: one line of label, in the clear, and the sealed record.
// The label has what is needed to find and to bound evidence, and nothing that
// came from a target. A copy of it is sealed with the record: a label that was
// changed is noticed when the envelope is opened. Everything after the first line
// is an age file of gzipped JSON:
//
//	tail -n +2 FILE | age -d -i IDENTITY | gunzip
//
// # Bounds
//
// A [Folder] holds envelopes. A [Keeper] bounds it: bytes for an incident, bytes
// for all, and a retention after which an envelope is deleted whatever became of
// its incident. When a bound is reached the older evidence stays: the first
// sightings are worth most, and what comes later is more of a stranger's data.
package evidence
