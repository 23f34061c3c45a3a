package simulator

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// output is an answer cut to its budget and ready to be sent.
type output struct {
	id, model string
	created   int64
	field     string // name of the reasoning field
	deltas    []delta
	tokens    int // completion tokens, reasoning included
	reasoning int
	finish    string
	usage     *usage // nil: absent
	dropAt    int    // delta at which the connection breaks, -1 for none
}

// delta is what one chunk of a stream brings.
type delta struct {
	text      string
	tokens    int
	reasoning bool
}

// randomID is 128 random bits. Ids are the one thing that does not depend on
// the seed: two servers must never give the same.
func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

// compose cuts an answer to the budget and into deltas.
func (s *Server) compose(j *job, req *request, a answer, p Profile) *output {
	thoughts := tokenise(a.reasoning, s.opts.Tokens)
	words := tokenise(a.content, s.opts.Tokens)
	out := &output{
		id:      "chatcmpl-" + randomID(),
		model:   req.model,
		created: time.Now().Unix(),
		field:   p.ThinkField,
		finish:  orDefault(a.stop, "stop"),
		dropAt:  -1,
	}
	if len(thoughts) > j.budget {
		thoughts = thoughts[:j.budget]
	}
	if left := j.budget - len(thoughts); len(words) > left {
		words, out.finish = words[:left], "length"
	}
	out.reasoning, out.tokens = len(thoughts), len(thoughts)+len(words)
	if a.stop == "stop" && a.content == strings.TrimSpace(a.content) && len(words) == 0 {
		out.tokens += 8 + j.rng.IntN(40) // empty: tokens without text
	}
	out.deltas = append(j.group(thoughts, true), j.group(words, false)...)
	if prompt, given := j.reported(); given {
		out.usage = &usage{Prompt: prompt, Completion: out.tokens, Total: prompt + out.tokens, Reasoning: out.reasoning}
		if s.opts.ReportCached {
			out.usage.Details = &details{}
		}
	}
	drop := j.rng.Float64() < p.Drop && p.ill(time.Since(s.started))
	if at := j.rng.IntN(len(out.deltas) + 1); drop {
		j.truth.Ill = illDrop
		out.dropAt = at
	}
	return out
}

// group joins tokens into deltas of one to six, never within a rune.
func (j *job) group(tokens []string, reasoning bool) []delta {
	var deltas []delta
	for i := 0; i < len(tokens); {
		n := min(1+j.rng.IntN(6), len(tokens)-i)
		for i+n < len(tokens) && !utf8.RuneStart(tokens[i+n][0]) {
			n++
		}
		deltas = append(deltas, delta{strings.Join(tokens[i:i+n], ""), n, reasoning})
		i += n
	}
	return deltas
}

// send sends an answer and completes the ground truth.
func (s *Server) send(ctx context.Context, w http.ResponseWriter, j *job, req *request, a answer, spoilt bool) {
	out := s.compose(j, req, a, j.model.profile)
	t := j.truth
	t.sources(a.sources, j.by)
	t.Finish, t.Completion = out.finish, out.tokens
	t.TTFT = time.Since(j.body).Seconds()
	var err error
	if req.stream {
		err = s.stream(ctx, w, out, req.usage)
	} else {
		err = s.whole(ctx, w, out)
	}
	t.Class = j.class(a, out, spoilt)
	if err != nil || out.dropAt >= 0 {
		t.Class = ClassCancelled
	}
}

// class says what the answer was.
func (j *job) class(a answer, out *output, spoilt bool) Class {
	switch {
	case j.truth.foreign():
		return ClassForeign
	case len(j.truth.Donors) > 0:
		return ClassStale
	case spoilt:
		return ClassDamaged
	case a.kind == kindBlank:
		return ClassBlank
	case a.kind == kindRefusal:
		return ClassRefused
	case j.lost, a.kind == kindNone:
		return ClassDamaged
	case out.finish == "length":
		return ClassCut
	case a.kind == kindMissed:
		return ClassMissed
	case a.kind == kindContinue:
		return ClassContinued
	}
	return ClassRight
}

// pace is when the delta that ends with token n is due.
func (s *Server) pace(start time.Time, n int) time.Time {
	seconds := float64(n) / (s.opts.DecodeRate * s.opts.Speed)
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

// whole sends an answer in one piece, when it is finished.
func (s *Server) whole(ctx context.Context, w http.ResponseWriter, out *output) error {
	if err := sleepUntil(ctx, s.pace(time.Now(), out.tokens)); err != nil {
		return err
	}
	m := &message{Role: "assistant"}
	var content, reasoning strings.Builder
	for _, d := range out.deltas {
		if d.reasoning {
			reasoning.WriteString(d.text)
		} else {
			content.WriteString(d.text)
		}
	}
	text := content.String()
	m.Content = &text
	m.put(out.field, reasoning.String())
	body, err := json.Marshal(completion{
		ID: out.id, Object: "chat.completion", Created: out.created, Model: out.model,
		Choices: []choice{{Message: m, Finish: &out.finish}},
		Usage:   out.usage,
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	if out.dropAt >= 0 { // a chunked body that breaks off
		body = body[:len(body)/2]
		defer http.NewResponseController(w).Flush()
	}
	_, err = w.Write(body)
	return err
}

// stream sends an answer as server-sent events.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, out *output, withUsage bool) error {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	control := http.NewResponseController(w)
	write := func(d *message, finish *string) error {
		c := chunk{completion: out.chunk()}
		c.Choices = []choice{{Delta: d, Finish: finish}}
		return event(w, control, c)
	}
	empty := ""
	if err := write(&message{Role: "assistant", Content: &empty}, nil); err != nil {
		return err
	}
	start, sent := time.Now(), 0
	for i, d := range out.deltas {
		if i == out.dropAt {
			return nil
		}
		sent += d.tokens
		// The first token is there already: prefill made it.
		if err := sleepUntil(ctx, s.pace(start, sent-out.deltas[0].tokens)); err != nil {
			return err
		}
		if err := write(out.delta(d), nil); err != nil {
			return err
		}
	}
	if out.dropAt >= 0 {
		return nil
	}
	if err := write(&message{}, &out.finish); err != nil {
		return err
	}
	if withUsage && out.usage != nil {
		c := chunk{completion: out.chunk(), Usage: out.usage}
		c.Choices = []choice{}
		if err := event(w, control, c); err != nil {
			return err
		}
	}
	if _, err := w.Write([]byte("data: [DONE]\n\n")); err != nil {
		return err
	}
	return control.Flush()
}

// chunk is the frame of every chunk of a stream.
func (o *output) chunk() completion {
	return completion{ID: o.id, Object: "chat.completion.chunk", Created: o.created, Model: o.model}
}

// delta puts a delta into the field where it belongs.
func (o *output) delta(d delta) *message {
	if !d.reasoning {
		return &message{Content: &d.text}
	}
	m := &message{}
	m.put(o.field, d.text)
	return m
}

// event writes one server-sent event.
func event(w http.ResponseWriter, control *http.ResponseController, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	data = append(append([]byte("data: "), data...), "\n\n"...)
	if _, err := w.Write(data); err != nil {
		return err
	}
	return control.Flush()
}
