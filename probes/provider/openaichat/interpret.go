package openaichat

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"crosstalk/probes/provider"
)

// interpret reads what the body of a response says. It is the same for live
// and recorded answers; arrivals is nil for the latter.
func interpret(resp *provider.Response, arrivals provider.Arrivals, limits provider.Limits) {
	if resp.Status == 0 {
		return // nothing came back
	}
	r := &reading{resp: resp, arrivals: arrivals, limits: limits}
	r.identity()
	if resp.Status/100 != 2 {
		resp.Fail(provider.ClassifyError(resp.Status, resp.Header, resp.Body))
		return
	}
	contentType := resp.Header.Get("Content-Type")
	resp.Streamed = provider.LooksStreamed(contentType, resp.Body)
	if resp.Streamed {
		r.stream()
	} else {
		r.plain()
	}
	r.contentType(contentType)
	r.finish()
}

// reading is the state of reading one answer.
type reading struct {
	resp     *provider.Response
	arrivals provider.Arrivals
	limits   provider.Limits

	content, reasoning, refusal strings.Builder
	tools                       toolCalls
	extras                      provider.Extras

	event   int  // offset of the event being read
	choices int  // seen so far
	first   bool // the first choice was among them
	added   int  // bytes of content and reasoning the event brought
	cut     bool // the body ends within its JSON
}

func (r *reading) problem(kind, detail string) { r.resp.AddProblem(kind, detail, r.event) }

// problemOnce notes only the first violation of a kind that can be in every
// event.
func (r *reading) problemOnce(kind, detail string) {
	for _, p := range r.resp.Problems {
		if p.Kind == kind {
			return
		}
	}
	r.problem(kind, detail)
}

// contentType notes a content type that does not fit the body.
func (r *reading) contentType(given string) {
	given, _, _ = strings.Cut(strings.ToLower(given), ";")
	want := "application/json"
	if r.resp.Streamed {
		want = "text/event-stream"
	}
	if given = strings.TrimSpace(given); given != "" && given != want && r.resp.Failure == nil {
		r.resp.AddProblem("content_type", fmt.Sprintf("content type %q, body %s", provider.Clip(given, 60), want), 0)
	}
}

// plain reads a body that is one JSON object.
func (r *reading) plain() {
	root, end, ok := r.json(r.resp.Body)
	if !ok {
		if !r.cut || len(r.resp.Body) > maxFrame {
			r.extras.AddLine("body", string(r.resp.Body))
		}
		return
	}
	if end < len(r.resp.Body) {
		r.resp.AddProblem("after_body", "bytes after the JSON answer", end)
		r.extras.AddLine("after the body", string(r.resp.Body[end:]))
	}
	told := provider.ClassifyError(r.resp.Status, r.resp.Header, r.resp.Body)
	r.resp.Fail(told)
	if !root.Get("choices").Is(provider.Array) {
		if told == nil { // else its text is the message of the failure
			r.extras.Collect("", root)
		}
		r.resp.Fail(provider.Malformed(r.resp.Header, []byte("JSON without choices")))
		return
	}
	r.chunk(root, "message")
	if r.added > 0 {
		at := r.arrivals.At(len(r.resp.Body))
		r.resp.Times.FirstContent, r.resp.Times.LastContent = at, at
	}
}

// maxFrame is the longest piece of JSON, in bytes, that is cut off and not read:
// it is the frame around a text, names and numbers, rather than a text.
const maxFrame = 1 << 10

// json reads one JSON text and notes what is wrong with it.
func (r *reading) json(text []byte) (root *provider.Node, end int, ok bool) {
	root, end, problems, err := provider.ParseJSON(text, r.limits.Depth)
	for _, p := range problems {
		r.resp.AddProblem(p.Kind, p.Detail, r.event+p.Offset)
	}
	switch {
	case err == nil:
		return root, end, true
	case errors.Is(err, provider.ErrJSONLimit):
		r.problem("depth", err.Error())
		r.resp.Fail(&provider.Failure{Kind: provider.FailureLimit, Message: err.Error(), InStream: r.resp.Streamed})
	case r.resp.Streamed: // the stream decides what a bad event means
	case errors.Is(err, io.ErrUnexpectedEOF):
		r.cut = true
		r.resp.Fail(&provider.Failure{Kind: provider.FailureTruncated, Message: "the JSON body ends early"})
	default:
		r.resp.Fail(provider.Malformed(r.resp.Header, text))
	}
	return nil, end, false
}

// finish draws the conclusions when all is read.
func (r *reading) finish() {
	resp := r.resp
	resp.Content = valid(&r.content)
	resp.Reasoning = valid(&r.reasoning)
	resp.Refusal = valid(&r.refusal)
	resp.Tools = r.tools.list()
	resp.Extra = append(resp.Extra, r.extras.Texts()...)
	end := len(resp.Body)
	fail := func(kind provider.FailureKind, message string) {
		resp.Fail(&provider.Failure{Kind: kind, Message: message})
	}
	if resp.Streamed && !resp.Stream.Done {
		resp.AddProblem("no_done", "the stream has no "+terminator, end)
		fail(provider.FailureTruncated, "the stream ended without "+terminator)
	}
	switch {
	case resp.Failure != nil:
	case r.choices == 0:
		resp.AddProblem("empty_choices", "there is no choice in the answer", 0)
		fail(provider.FailureMalformed, "an answer without a choice")
	case !r.first:
		resp.AddProblem("index", "no choice has the number 0", 0)
		fail(provider.FailureMalformed, "an answer without a first choice")
	case resp.FinishReason == "":
		resp.AddProblem("no_finish", "the first choice has no finish reason", end)
		fail(missingFinish(resp.Streamed), "an answer without a finish reason")
	case resp.FinishReason == "error", resp.FinishReason == "abort":
		resp.Fail(&provider.Failure{
			Kind: provider.FailureServer, Code: resp.FinishReason,
			Message: "the target ended the answer with an error", InStream: true,
		})
	}
	if resp.Failure == nil && resp.Usage == nil {
		resp.AddProblem("no_usage", "the answer has no token counts", end)
	}
}

// missingFinish is the kind of an answer without finish reason: a stream was
// probably cut, a whole JSON object was not.
func missingFinish(streamed bool) provider.FailureKind {
	if streamed {
		return provider.FailureTruncated
	}
	return provider.FailureMalformed
}

// valid is the text of b with what is not UTF-8 replaced. A character that was
// split over two deltas is whole again here.
func valid(b *strings.Builder) string { return strings.ToValidUTF8(b.String(), "\uFFFD") }
