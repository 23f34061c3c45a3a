package checks_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/internal/secret"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/probes/provider/openaichat"
)

// ask sends the prompt to a port that answers with raw bytes.
func (a asked) ask(t *testing.T, raw []byte) *provider.Response {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		req, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		io.Copy(io.Discard, req.Body)
		conn.Write(raw)
	}()
	defer func() { listener.Close(); <-done }()
	client, err := openaichat.New(openaichat.Options{BaseURL: "http://" + listener.Addr().String() + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	resp, err := client.Do(t.Context(), &provider.Request{
		ID: vectorID(1), Credential: secret.New("key"), Model: "m", Prompt: a.prompt, MaxTokens: 512,
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// judgeResponse runs every check over one response.
func (a asked) judgeResponse(r *provider.Response) (checks.Class, []checks.Finding) {
	x := &probes.Exchange{
		ID: vectorID(1), Tenant: a.payload.Tenant, Payload: a.payload, Prompt: a.prompt, Response: r,
		Intent: probes.Intent{Spec: a.spec, Expect: probes.ExpectAnswer, MaxTokens: 512, Stream: r.Streamed},
	}
	report := checks.Run(checks.Input{
		Round: &probes.Round{Started: vectorStart, Ended: vectorStart, Exchanges: []*probes.Exchange{x}}, Codec: a.codec,
	}, checks.All())
	return report.Class(), report.Findings
}

// TestNoHTTP: what is no HTTP response is nobody's answer, however readable; a
// marker in it is still proof.
func TestNoHTTP(t *testing.T) {
	a, other := askedPrompts(t)[0], askedPrompts(t)[2]
	r := rand.New(rand.NewPCG(3, 4))
	letter := strings.Join(strings.Fields(strangerForms[0]), " ")
	noise := make([]byte, 20000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	foreign := other.prompt.Markers()[0].Text
	for _, tt := range []struct {
		name string
		raw  []byte
		want checks.Class
	}{
		{"random bytes", noise, checks.Inconclusive},
		{"another protocol", []byte("220 " + letter + "\r\n"), checks.Inconclusive},
		{"escape in a header", []byte("HTTP/1.1 200 OK\r\nX-Note: " + letter + " \x1b[0m\r\n\r\n"), checks.Inconclusive},
		{"text in a header", []byte("HTTP/1.1 200 OK\r\nX-Note: " + letter + "\r\nContent-Length: 0\r\n\r\n"), checks.Damaged},
		{"own tenant's other marker", []byte("HTTP/1.1 200 OK\r\n" + foreign + "\r\n\r\n"), checks.Damaged},
		{"random body", fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(noise), noise), checks.Inconclusive},
		{"error with status 200", fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"error\":{\"message\":%q}}", letter), checks.Damaged},
		{"error with status 500", fmt.Appendf(nil, "HTTP/1.1 500 Oh\r\nContent-Type: application/json\r\n\r\n{\"error\":{\"message\":%q}}", letter), checks.Inconclusive},
		{"a stranger's JSON", fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"letter\":%q}", letter), checks.Foreign},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := a.ask(t, tt.raw)
			class, found := a.judgeResponse(resp)
			if class != tt.want {
				t.Errorf("is %s, want %s: %v\nfailure %+v", class, tt.want, found, resp.Failure)
			}
		})
	}
}

// TestCutByUs: an answer that our limit ends, wherever, is not damage by its end.
func TestCutByUs(t *testing.T) {
	a := askedPrompts(t)[0]
	for _, stream := range []bool{true, false} {
		body, contentType := rawAnswer(&probes.Exchange{Prompt: a.prompt}, stream)
		if stream {
			body = append([]byte(": ping\n\n"), body...)
		}
		a.cutEverywhere(t, body, contentType)
	}
}

func (a asked) cutEverywhere(t *testing.T, body []byte, contentType string) {
	header := http.Header{"Content-Type": {contentType}}
	for n := 1; n < len(body); n++ {
		if n > 600 && n < len(body)-400 && n%41 != 0 {
			continue // events in the middle are all alike
		}
		client, err := openaichat.New(openaichat.Options{BaseURL: "http://127.0.0.1:1/v1", Limits: provider.Limits{Body: int64(n)}})
		if err != nil {
			t.Fatal(err)
		}
		resp := client.Parse(200, header, bytes.NewReader(body))
		client.Close()
		if resp.Failure == nil || resp.Failure.Kind != provider.FailureLimit {
			t.Fatalf("cut at %d: failure %+v", n, resp.Failure)
		}
		if class, found := a.judgeResponse(resp); class != checks.Inconclusive {
			t.Fatalf("cut at %d, after %q: is %s: %v", n, body[max(0, n-12):n], class, found)
		}
	}
}
