package openaichat

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"crosstalk/probes/provider"
)

// Bounds of what is kept of a stream.
const (
	maxEvents = 1 << 18
	maxIDs    = 64
)

// stream reads a body that is an event stream.
func (r *reading) stream() {
	s := &provider.Stream{}
	r.resp.Stream = s
	for e := range provider.ParseSSE(r.resp.Body, r.limits.Line) {
		r.event, r.added = e.Offset, 0
		if e.Long || len(s.Events) >= maxEvents {
			r.resp.Fail(&provider.Failure{
				Kind: provider.FailureLimit, InStream: true,
				Message: fmt.Sprintf("a stream line of more than %d bytes, or more than %d events", r.limits.Line, maxEvents),
			})
			return
		}
		for _, stray := range e.Strays {
			r.problemOnce("stray", "a line that is no field of an event stream")
			r.extras.AddLine(stray.Where, stray.Text)
		}
		if e.Data == nil {
			continue
		}
		r.oneEvent(e, s)
		at := r.arrivals.At(e.End)
		s.Events = append(s.Events, provider.Event{At: at, Offset: e.Offset, Bytes: e.End - e.Offset, Text: r.added})
		if r.added > 0 {
			if r.resp.Times.FirstContent == 0 {
				r.resp.Times.FirstContent = at
			}
			r.resp.Times.LastContent = at
		}
	}
}

// oneEvent reads one event with data.
func (r *reading) oneEvent(e provider.SSEEvent, s *provider.Stream) {
	if isDone(e.Data) {
		if s.Done {
			r.problemOnce("after_done", "a second "+terminator)
		}
		s.Done = true
		return
	}
	root, end, problems, err := provider.ParseJSON(e.Data, r.limits.Depth)
	for _, p := range problems {
		r.problem(p.Kind, p.Detail)
	}
	where := "bad event"
	if s.Done {
		r.problemOnce("after_done", "an event after "+terminator)
		where = afterDone
	}
	cut := err != nil && !e.Whole && (errors.Is(err, io.ErrUnexpectedEOF) || strings.HasPrefix(terminator, string(e.Data)))
	switch {
	case errors.Is(err, provider.ErrJSONLimit):
		r.problem("depth", err.Error())
		r.resp.Fail(&provider.Failure{Kind: provider.FailureLimit, Message: err.Error(), InStream: true})
	case cut:
		// The stream was cut here; that there is no terminator says so.
	case err != nil:
		r.problem("bad_json", "an event that is not JSON")
	case end < len(e.Data):
		r.problem("bad_json", "an event with more than one value")
		r.extras.AddLine(where, string(e.Data[end:]))
	}
	switch {
	case cut && len(e.Data) <= maxFrame:
	case err != nil:
		r.extras.AddLine(where, string(e.Data))
		if e.Name == "error" {
			r.errorEvent(e, root)
		}
	case s.Done:
		r.afterDone(root)
	default:
		r.known(e, root)
	}
}

// known reads an event that is a chunk, an error, or something else.
func (r *reading) known(e provider.SSEEvent, root *provider.Node) {
	failed := r.errorEvent(e, root)
	switch {
	case root.Get("choices").Is(provider.Array):
		r.chunk(root, "delta")
	case root.Get("usage").Is(provider.Object): // Cloudflare's last event
		r.head(root)
	case failed: // its text is the message of the failure
	default:
		r.problemOnce("unknown_event", "an event that is no chunk")
		r.extras.Collect("event", root)
	}
}

// errorEvent reads an event that is an error, by its name or its shape, and
// reports whether it is one.
func (r *reading) errorEvent(e provider.SSEEvent, root *provider.Node) bool {
	told := e.Name == "error" || root.Get("error").Given() || root.Get("choices") == nil && root.Get("usage") == nil
	if !told {
		return false
	}
	f := provider.ClassifyError(r.resp.Status, r.resp.Header, e.Data)
	if f == nil && e.Name == "error" {
		f = provider.ClassifyError(500, r.resp.Header, e.Data)
		f.InStream = true
	}
	if f == nil {
		return false
	}
	r.problem("error_in_stream", "an event that is an error")
	r.resp.Fail(f)
	return true
}

// afterDone is where the text of events after the terminator stands.
const afterDone = "after " + terminator

// afterDone keeps the texts of an event after the terminator: bytes of another
// answer, perhaps. Contents are joined, the rest stands apart.
func (r *reading) afterDone(root *provider.Node) {
	choices := root.Get("choices")
	if choices == nil {
		r.extras.Collect(afterDone+" event", root)
		return
	}
	for i := range choices.Items {
		for _, part := range []string{"delta", "message"} {
			m := choices.Items[i].Get(part)
			for _, field := range []string{"content", "reasoning_content", "reasoning"} {
				r.extras.Collect(afterDone, m.Get(field))
			}
			r.extras.CollectMembers(afterDone+" "+part, m, func(name string) bool {
				return slices.Contains([]string{"content", "reasoning_content", "reasoning", "role"}, name)
			})
		}
	}
}
