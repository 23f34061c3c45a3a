// Package preflight judges what an inference engine says of itself, before a
// single token is spent on it.
//
// # Why
//
// The incident that crosstalk exists for was visible before launch: the server
// information of the prefill node said that its KV pool holds 681,280 tokens,
// and that it serves a context window of 1,048,576. No probe was needed to see
// that a prompt in between has nowhere to go. Engines publish such numbers, in
// different places and with different traps; this package reads them and holds
// them against one another.
//
// # Facts and judgements
//
// Reading and judging are kept apart. A reader turns what it was given into
// facts and knows nothing of good and bad. A judgement is a pure function of
// facts: no network, no files, no clock. So every judgement can be tested with
// facts written down by hand, and every statement of a report names the file or
// address and the field that it rests on.
//
//   - fact: one value an engine stated, with its unit, and where it was read.
//   - node: one process that serves, or one rank group of it: a unified
//     engine, a prefill node, a decode node. Facts belong to a node.
//   - pool: the number of tokens whose keys and values fit into the memory of
//     one rank. Pools of ranks are never added up: a request lives in one.
//   - window: the longest request, prompt and answer together, that a node
//     says it serves. Configured: as its flags or model file ask for. Trained:
//     what the model was made for, which says nothing about the server.
//   - advertised: the window that customers are told, from the configuration.
//   - input limit: the longest prompt that a node will really take.
//   - problem: something that was named and could not be read.
//
// # Absence is not health
//
// A judgement has four outcomes: finding, warning, fine and unknown, and unknown
// is the zero value. A field that is null, a page of HTML, a label that reads
// None, an endpoint that is switched off: each leaves a judgement unknown, and a
// report with an unknown among the judgements that matter (pool, window) is not
// fine. Only what was read and holds is.
//
// # Reading politely
//
// Live, each address is read once and never again, whatever happens: there are
// engines (TensorRT-LLM) whose metrics are a queue that reading empties. The
// first read goes without a key, because whether anybody may read it is itself
// a fact; only an address that asks for a key is given one.
package preflight
