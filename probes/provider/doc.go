// Package provider talks to endpoints that serve language models and reports
// what came back, all of it, and nothing but it.
//
// A prober cannot use an ordinary client. Vendor kits retry in silence, take a
// stream that stops for one that ended, never read the bytes after the
// terminator, drop fields they do not know and lose the status of errors they
// do not expect. Each of these hides the very fault a canary looks for. So this
// package is a thin layer on net/http, with these rules:
//
//   - One request, one attempt. The first answer is the observation. Nothing is
//     retried and no redirect is followed.
//   - What the target does wrong is data: a [Response] with a [Failure] or with
//     Problems. An error is only for what we did wrong.
//   - No success without proof: an answer counts as whole ([Response.OK]) when
//     it was read to its end, carries no error anywhere, has a choice, a finish
//     reason and, if streamed, the API's own terminator.
//   - Every text is kept: further choices, fields nobody knows, events after
//     the end stand in [Response.Extra], where checks can search them for
//     content that is not ours.
//   - Everything is bounded: bytes before and after decompression, header,
//     line length, nesting, time to the header, time between reads, time in
//     all. Reaching a bound is a Failure of kind [FailureLimit] or
//     [FailureTimeout], never a crash.
//   - Tenants share nothing. Every [Client] owns its [Transport]; an exchange
//     has a connection of its own unless [Request.Reuse] asks otherwise.
//
// # Words
//
// A dialect is one API's way of asking and answering, in a package of its own
// below this one (openaichat, ...). Each implements [Client] and must pass the
// conformance suite of package providertest. Dialects share what is here:
//
//	Transport      one HTTP exchange under limits, every byte stamped on arrival
//	ParseSSE       the event stream format
//	ParseJSON      JSON that keeps duplicate names and says where things stand
//	EscapeReader   a prompt as a JSON string, without holding the prompt
//	ClassifyError  what kind of refusal a body is, whoever wrapped it
//
// The time to the first token (TTFT) of a response is [Times.FirstContent]: the
// first non-empty content or reasoning, since the start of the exchange. An
// [Event] is stamped when its last byte has arrived.
package provider
