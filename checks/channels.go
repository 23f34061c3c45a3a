package checks

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"crosstalk/probes/provider"
)

// Channels returns the channels of a response in the order they are scanned.
func Channels() []Channel {
	return []Channel{
		ChannelContent, ChannelReasoning, ChannelToolName, ChannelToolArguments,
		ChannelError, ChannelHeader,
	}
}

// ChannelText is the joined text of one channel of a response, the text that
// Finding.Offset counts in. Parts are joined by line feeds.
//
//   - content: the content, then the refusal and every other text that stood
//     where an answer could stand (further choices, text after the terminator,
//     a body that is no answer of the API but could be somebody's);
//   - reasoning: the reasoning;
//   - tool_name, tool_arguments: of all tool calls;
//   - error: message and body of a response that is a failure, and what a peer
//     said that does not speak HTTP;
//   - header: header values and the target's hints of its identity, by name.
//
// Deltas of a stream need no channel of their own: each is part of a joined
// text.
func ChannelText(r *provider.Response, c Channel) string {
	var parts []string
	switch c {
	case ChannelContent:
		parts = append(parts, r.Content, r.Refusal)
		for _, t := range r.Extra {
			if t.Where != provider.WhereTransport && !isBinary(r, t.Text) {
				parts = append(parts, t.Text)
			}
		}
	case ChannelReasoning:
		parts = append(parts, r.Reasoning)
	case ChannelToolName:
		for _, t := range r.Tools {
			parts = append(parts, t.Name)
		}
	case ChannelToolArguments:
		for _, t := range r.Tools {
			parts = append(parts, t.Arguments)
		}
	case ChannelError:
		if r.Failure != nil {
			parts = append(parts, r.Failure.Message, string(r.Body))
		}
		for _, t := range r.Extra {
			if t.Where == provider.WhereTransport {
				parts = append(parts, t.Text)
			}
		}
	case ChannelHeader:
		for _, name := range slices.Sorted(maps.Keys(r.Header)) {
			parts = append(parts, r.Header[name]...)
		}
		parts = append(parts, r.ID, r.Model)
		for _, name := range slices.Sorted(maps.Keys(r.Identity)) {
			parts = append(parts, r.Identity[name])
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}

// maxBinary is the share of control and replacement characters from which on a
// text is data and no text. Running text in any encoding that was read right has
// next to none, bytes at random have a third and more.
const maxBinary = 0.05

// isBinary reports whether a text of a malformed answer is no text but data: a
// file, a compressed body, noise. The raw body is in the error channel.
func isBinary(r *provider.Response, text string) bool {
	if r.Failure == nil || r.Failure.Kind != provider.FailureMalformed {
		return false
	}
	odd, all := 0, 0
	for _, c := range text {
		all++
		if c == unicode.ReplacementChar || unicode.IsControl(c) && !unicode.IsSpace(c) {
			odd++
		}
	}
	return float64(odd) > maxBinary*float64(all)
}

// isAnswer reports whether the model itself speaks in the channel. Error bodies
// and headers are written by gateways too: only proofs count there.
func (c Channel) isAnswer() bool { return c != ChannelError && c != ChannelHeader }
