// Package openaichat speaks the OpenAI Chat Completions API, and what the many
// servers that imitate it really send: vLLM, SGLang, TensorRT-LLM, llama.cpp,
// Ollama, TGI, Azure, OpenRouter, LiteLLM, Cloudflare and others.
//
// A request is one user message. The answer is either one JSON object
// (chat.completion) with a list of choices, or an event stream of chunks: each
// brings a piece of the answer (a delta), one brings the finish reason, one at
// the end the usage, and the line "data: [DONE]" ends it. Each of these is
// absent, doubled or misplaced somewhere in the field; each is noted.
//
// # What counts as whole
//
// A [provider.Response] has no Failure only if the body was read to its end,
// carries no error (also none in an event or a choice), has a first choice with
// a finish reason and, if streamed, the terminator. A stream that stops without
// one is truncated, even after a finish reason: nobody can say what would have
// followed. A finish reason of "error" or "abort" is a failure of the server.
// content_filter is none: the target says what it did, and a check must look at
// Response.FinishReason.
//
// # Problems
//
// These are the kinds of [provider.Problem], violations that do not make an
// answer a failure by themselves:
//
//	after_body       bytes after the JSON answer; they are in Extra
//	after_done       events after [DONE]; their text is in Extra
//	after_finish     content after the finish reason
//	bad_json         an event that is not JSON; it is in Extra
//	bad_usage        a count that is no whole number
//	bad_utf8         a string that is not UTF-8, or half a surrogate pair
//	content_type     the body is not what its content type says
//	depth            JSON nested deeper, or with more values, than our limit
//	duplicate_key    a name twice in one object; the last counts
//	empty_choices    a list of choices with nothing in it
//	error_in_stream  an event that is an error
//	identity         model, fingerprint or provider changed within a stream
//	index            a choice without number, or none with number 0
//	lingering        the connection stayed open after [DONE]
//	no_done          a stream without [DONE]
//	no_finish        a first choice without finish reason
//	no_usage         an answer without token counts
//	not_streamed     a plain answer to a request for a stream
//	role             an answer by somebody else than the assistant
//	several_finishes different finish reasons, or content between them
//	several_ids      events of one stream with different response ids
//	stray            lines in the stream that are no field; they are in Extra
//	streamed         a stream in answer to a request for a plain answer
//	unknown_event    an event that is no chunk; its texts are in Extra
//	wrong_type       a field of another type than the API's
//
// # Parameters a target refuses
//
// Servers differ in the parameters they take: max_tokens or
// max_completion_tokens, temperature, stream_options, a thinking switch. The
// first answer is the observation, so a refusal is returned as it is, with the
// kind badrequest. But the client remembers it and leaves out, or renames, the
// parameter from the next request on: see [Client.Adapted].
package openaichat
