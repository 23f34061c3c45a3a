// Package simulator is a multi-tenant inference service with an
// OpenAI-compatible API, made to be found out: it has the faults that crosstalk
// looks for, each as a mechanism that can be switched on and off, and it keeps
// the truth about every answer, so that detections, misses and false alarms can
// be counted.
//
// # How it answers
//
// The "model" reads the KV pages allotted to a request, not the request. A
// request takes this way:
//
//	body -> tokens -> prefill pool -> transfer -> decode pool -> model -> answer
//
// The body is tokenised while it arrives. The tokens are written into pages of
// 64 tokens of the prefill pool, page by page copied to pages of the decode
// pool, and the model is given two things: its page table over the decode pool
// and the number of tokens it should believe are valid. In the text of those
// pages it looks for lines "seal n: words" and for a question, and answers from
// them, as well as its Profile allows. If no question is there, it goes on with
// the text it finds, as a language model does. Freed pages are not emptied:
// they hold what the last request wrote, its answer included, until somebody
// else writes over them. A replica has two pools of its own; a router spreads
// keys or requests over replicas.
//
// # The fault it is built around
//
// When a prompt is longer than the prefill pool, a sound engine refuses it.
// With the fault named seed it is only marked rejected, its tokens are replaced
// by one placeholder, and it travels on: one token is transferred, while decode
// has reserved pages for the whole length and believes all of it valid. The
// question went with the prompt, so the client gets HTTP 200 and a fluent piece
// of whatever those pages last held: a stranger's mail, or, if another tenant's
// seals and question are there, the right answer to that tenant's question.
//
// # Words
//
//   - tenant: who a key belongs to. A canary is a tenant.
//   - stranger: any other customer. Strangers have no requests here; a writer
//     puts their texts over the pages that tenants have freed, between any two
//     requests, until the wanted share of the pool is theirs.
//   - donor: a request whose text another one read.
//   - fault: a defect of the engine; see Faults. A fault may be confined by
//     rate, prompt length, concurrency, warm or cold prefix, and time.
//   - profile: how good the model and the gateway are without any fault; see
//     Profiles. Nothing in a profile is a leak or a corruption.
//   - ill: an answer by the gateway in place of the engine, such as a 429.
//   - truth: what really happened to a request, found by its X-Request-Id.
//
// Three engines are at hand as presets. All draws come from the seed and the
// ordinal of the request, so a run of one request at a time can be repeated;
// response ids alone are always new.
package simulator
