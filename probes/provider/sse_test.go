package provider

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sseText describes an event in one line.
func sseText(e SSEEvent) string {
	out := e.Name + "|" + string(e.Data)
	for _, s := range e.Strays {
		out += "|" + s.Where + "=" + s.Text
	}
	if !e.Whole {
		out += "|cut"
	}
	if e.Long {
		out += "|long"
	}
	return out
}

func parseAll(body string, limit int) []string {
	var out []string
	for e := range ParseSSE([]byte(body), limit) {
		out = append(out, sseText(e))
	}
	return out
}

func TestParseSSE(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"nothing", "", nil},
		{"blank lines", "\n\n\r\n\n", nil},
		{"with space", "data: a\n\n", []string{"|a"}},
		{"without space", "data:a\n\n", []string{"|a"}},
		{"only one space goes", "data:  a\n\n", []string{"| a"}},
		{"CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"|a", "|b"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"|a", "|b"}},
		{"mixed ends", "data: a\r\n\ndata: b\r\r\n", []string{"|a", "|b"}},
		{"byte order mark", "\xef\xbb\xbfdata: a\n\n", []string{"|a"}},
		{"several lines", "data: a\ndata: b\ndata:\n\n", []string{"|a\nb\n"}},
		{"name and id", "event: ping\nid: 7\nretry: 10\ndata: a\n\n", []string{"ping|a"}},
		{"name after data", "data: a\nevent: ping\n\n", []string{"ping|a"}},
		{"no data", "event: ping\n\n", []string{"ping|"}},
		{"keep-alives", ": OPENROUTER PROCESSING\n\n:\n\n: ping\ndata: a\n\n", []string{"|a"}},
		{"telling comment", ": from another answer\n\n", []string{"||comment=from another answer"}},
		{"stray line", "data: a\nhello there\n\n", []string{"|a|stray line=hello there"}},
		{"bare field", "data\n\n", []string{"|"}},
		{"error field", "error: {}\n\n", []string{"error|{}"}},
		{"cut line", "data: a\n\ndata: b", []string{"|a", "|b|cut"}},
		{"cut before blank", "data: a\n", []string{"|a|cut"}},
		{"long line", "data: a\n\ndata: 0123456789abcdef0123456789abcdef\n\ndata: b\n\n", []string{"|a", "||cut|long"}},
		{"zero byte", "data: \x00\n\n", []string{"|\x00"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, parseAll(test.body, 32)); diff != "" {
				t.Errorf("events of %q (-want +got):\n%s", test.body, diff)
			}
		})
	}
}

func TestParseSSEStopsWhenTold(t *testing.T) {
	n := 0
	for range ParseSSE([]byte("data: a\n\ndata: b\n\n"), 100) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d events after a break", n)
	}
}

func TestParseSSELongerThanScannersTake(t *testing.T) {
	data := strings.Repeat("x", 300<<10)
	if got := parseAll("data: "+data+"\n\n", 1<<20); len(got) != 1 || got[0] != "|"+data {
		t.Errorf("%d events", len(got))
	}
}

func TestLooksStreamed(t *testing.T) {
	for _, test := range []struct {
		contentType, body string
		want              bool
	}{
		{"text/event-stream; charset=utf-8", "data: {}", true},
		{"Text/Event-Stream", "", true},
		{"text/event-stream", `{"error":{}}`, false},
		{"text/event-stream", "<html>", false},
		{"application/json", "data: {}\n\n", true},
		{"application/json", "\n\n: ping\n\n", true},
		{"", `{"choices":[]}`, false},
		{"", "event: error\ndata: {}", true},
		{"application/json", "", false},
	} {
		if got := LooksStreamed(test.contentType, []byte(test.body)); got != test.want {
			t.Errorf("%q with %q: %v", test.contentType, test.body, got)
		}
	}
}

// FuzzParseSSE wants that events lie in order within the body, and that a body
// with other line ends gives the same events.
func FuzzParseSSE(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "event: x\r\ndata:b\r\n\r\n", ": c\n\ndata: d\ndata: e\n\n", "\xef\xbb\xbfx\r\r", "data"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		last := 0
		var events []string
		for e := range ParseSSE(body, 1<<10) {
			if e.Offset < last || e.End < e.Offset || e.End > len(body) {
				t.Fatalf("event at %d to %d after %d", e.Offset, e.End, last)
			}
			last = e.End
			events = append(events, sseText(e))
		}
		if bytes.ContainsRune(body, '\r') {
			return
		}
		other := parseAll(strings.ReplaceAll(string(body), "\n", "\r\n"), 1<<10)
		if !slices.Equal(events, other) {
			t.Fatalf("with CR LF %q, with LF %q", other, events)
		}
	})
}
