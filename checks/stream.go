package checks

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crosstalk/probes/provider"
)

// streamCheck judges the protocol: what the client noted while it read, bodies
// that end early, and answers that begin twice because something between the
// model and us tried again in silence.
//
// Lapses come in three weights. Some mean that content was lost or mixed,
// whatever else is there. Some are damage unless the whole right answer is
// there. And some are signs only.
type streamCheck struct{}

func (streamCheck) Name() string { return "stream" }

func (c streamCheck) Run(in *Input) []Finding {
	return in.each(c.Name(), func(s *subject) []Finding {
		found := s.noted()
		found = append(found, s.cutShort()...)
		return append(found, s.restarted()...)
	})
}

// lapse is the weight of a problem that a client notes.
type lapse uint8

const (
	lapseSlip    lapse = iota // damage unless the right answer is whole
	lapseDamage               // always damage
	lapseSign                 // degraded
	lapseElse                 // for another check
	lapseUnknown              // of a kind that is not known here
)

// lapseOf weighs the kinds of problems of the dialects.
func lapseOf(kind string) lapse {
	switch kind {
	case "after_body", "after_done", "after_finish", "bad_json", "several_finishes", "several_ids", "role":
		return lapseDamage
	case "bad_utf8", "identity", "wrong_type", "no_done", "index", "stray":
		return lapseSlip
	case "content_type", "depth", "duplicate_key", "lingering", "not_streamed", "streamed", "unknown_event":
		return lapseSign
	case "bad_usage", "empty_choices", "error_in_stream", "no_finish", "no_usage":
		return lapseElse
	default:
		return lapseUnknown
	}
}

// endedEarly reports whether the reading ended before the answer did, whoever
// ended it: what is missing at the end is then no problem of its own.
func (s *subject) endedEarly() bool {
	if s.r.Failure == nil {
		return false
	}
	switch s.r.Failure.Kind {
	case provider.FailureTruncated, provider.FailureCancelled, provider.FailureTimeout, provider.FailureLimit, provider.FailureNetwork:
		return true
	}
	return false
}

// noted turns the problems of a response into findings, one for each kind.
func (s *subject) noted() []Finding {
	var found []Finding
	index := map[string]int{}
	count := map[string]int{}
	cut := s.endedEarly()
	for _, p := range s.r.Problems {
		kind, class := p.Kind, s.slip()
		if kind == "no_done" && cut {
			continue // the same, said as a failure
		}
		if kind == "stray" && onlyComments(s.r.Extra) {
			class = Degraded
		}
		switch lapseOf(p.Kind) {
		case lapseElse:
			continue
		case lapseDamage:
			class = Damaged
		case lapseSign:
			class = Degraded
		case lapseUnknown:
			kind = "other" // kinds are labels: there must be few
		}
		if count[kind]++; count[kind] == 1 {
			index[kind] = len(found)
			found = append(found, Finding{Kind: kind, Class: class, Detail: fmt.Sprintf(
				"the protocol was broken (%s), first at byte %d of the body", kind, p.Offset)})
		}
	}
	for kind, n := range count {
		if n > 1 {
			found[index[kind]].Detail += fmt.Sprintf(", %d times", n)
		}
	}
	return found
}

// onlyComments reports whether the stray lines of a stream were comments, which
// are lawful; the client keeps those that are more than a sign of life.
func onlyComments(extra []provider.Text) bool {
	return !slices.ContainsFunc(extra, func(t provider.Text) bool { return strings.HasPrefix(t.Where, "stray") })
}

// cutShort judges bodies that end early or are no answer. What we broke off
// ourselves tells nothing.
func (s *subject) cutShort() []Finding {
	f := s.r.Failure
	if f == nil {
		return nil
	}
	finding := Finding{Class: Damaged}
	switch f.Kind {
	case provider.FailureTruncated:
		finding.Kind = "cut"
		finding.Detail = fmt.Sprintf("the body ends early, after %s and %s of the answer",
			plural(len(s.r.Body), "byte"), plural(len(s.r.Content), "byte"))
	case provider.FailureMalformed:
		finding.Kind = "malformed"
		finding.Detail = fmt.Sprintf("status %d with a body that is no answer of this API", s.r.Status)
		if !s.claimsAnswer() {
			finding.Class = Inconclusive
		}
	case provider.FailureServer:
		if !f.InStream {
			return nil
		}
		finding.Kind = "error_in_stream"
		finding.Detail = "an error within an answer that had begun as a success"
	case provider.FailureCancelled, provider.FailureTimeout, provider.FailureLimit:
		finding.Kind, finding.Class = string(f.Kind), Inconclusive
		finding.Detail = s.brokenOff()
	default:
		return nil
	}
	return []Finding{finding}
}

// brokenOff says why an answer was not read to its end. A failure that we noted
// on the way has a message of ours; one that the target told may say anything.
func (s *subject) brokenOff() string {
	f := s.r.Failure
	told := f.InStream || s.r.Status != 0 && s.r.Status/100 != 2
	switch {
	case told && f.Kind != provider.FailureLimit: // our limits are ours wherever they are reached
		return fmt.Sprintf("the target gave up (status %d, %s)", s.r.Status, f.Kind)
	case f.Message == "":
		return "the answer was not read to its end, by our doing"
	default:
		return "the answer was not read to its end, by our doing: " + f.Message
	}
}

// claimsAnswer reports whether a malformed answer is one of the API's kind: a
// success with JSON or an event stream. A page of HTML is a gateway's.
func (s *subject) claimsAnswer() bool {
	if s.r.Status/100 != 2 {
		return false
	}
	body := bytes.TrimSpace(s.r.Body)
	return s.r.Streamed || bytes.HasPrefix(body, []byte("{")) || bytes.HasPrefix(body, []byte("data:"))
}

// minRestart is the shortest beginning, in bytes, that counts as come again.
const minRestart = 16

// restarted finds an answer that breaks off and begins once more: its first
// part stands twice, the second time whole. Where the break is not inside a
// word, people write so too: only a closed task is judged then.
func (s *subject) restarted() []Finding {
	var found []Finding
	for _, c := range []Channel{ChannelContent, ChannelToolArguments} {
		text := s.written(c)
		text = text[:min(len(text), maxRead)]
		k := restartIn(text)
		if k == 0 || !classify(text[:k]).letters || c == ChannelToolArguments && len(s.r.Tools) > 1 {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:k])
		if !s.closed() && !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			continue
		}
		found = append(found, Finding{
			Kind: "restart", Class: s.slip(), Channel: c, Offset: k, Length: k,
			Detail: fmt.Sprintf("the first %d bytes come again after %d", k, k),
		})
	}
	return found
}

// restartIn returns the length of the shortest beginning of at least
// minRestart bytes that is repeated at once and then continues; 0 if none is.
// A beginning that comes a third time is a loop, and not looked for here.
func restartIn(text string) int {
	if len(text) < 2*minRestart {
		return 0
	}
	const tries = 64 // of places where the first bytes stand again
	at := minRestart
	for range tries {
		i := strings.Index(text[at:], text[:minRestart])
		if i < 0 {
			return 0
		}
		at += i
		if len(text) > 2*at && strings.HasPrefix(text[at:], text[:at]) {
			if strings.HasPrefix(text[2*at:], text[:minRestart]) {
				return 0
			}
			return at
		}
		at++
	}
	return 0
}
