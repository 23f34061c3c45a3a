package openaichat

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/internal/secret"
	"crosstalk/probes/provider"
	"crosstalk/probes/provider/providertest"
)

func benchRequest(size int64) *provider.Request {
	return &provider.Request{
		ID: uuid.New(), Credential: secret.New("key"), Model: "m",
		Prompt: providertest.Generated(size), MaxTokens: 32,
	}
}

// BenchmarkSend is the whole way of a prompt of a million tokens: counted,
// escaped, sent over loopback to a server in this process that discards it.
func BenchmarkSend(b *testing.B) {
	answer := fixture(b, "wire/openai-chat/response.json")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Write(answer.Body)
	}))
	defer server.Close()
	client := newClient(b, server.URL, provider.Limits{})
	defer client.Close()
	const size = 5 << 20
	b.SetBytes(size)
	for b.Loop() {
		if resp, err := client.Do(b.Context(), benchRequest(size)); err != nil || !resp.OK() {
			b.Fatalf("%+v %v", resp, err)
		}
	}
}

// BenchmarkInFlight measures the heap of prompts of a million tokens that are
// all stuck halfway, each on its client: the server does not read on. The
// number includes the server's side of each connection.
func BenchmarkInFlight(b *testing.B) {
	const prompts = 64
	for b.Loop() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		var stuck sync.WaitGroup
		stuck.Add(prompts)
		release := make(chan struct{})
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					io.CopyN(io.Discard, conn, 1<<20)
					stuck.Done()
					<-release
				}()
			}
		}()
		before := heap()
		var done sync.WaitGroup
		clients := make([]*Client, prompts)
		for i := range clients {
			clients[i] = newClient(b, "http://"+listener.Addr().String(), provider.Limits{})
			done.Go(func() { clients[i].Do(b.Context(), benchRequest(5<<20)) })
		}
		stuck.Wait()
		b.ReportMetric(float64(heap()-before)/prompts/1024, "KiB/prompt")
		close(release)
		listener.Close()
		done.Wait()
	}
}

// heap is what is on the heap and on stacks after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// BenchmarkShortExchange is a short probe on a connection of its own. cpu-µs/op
// is the processor time of client and server together; the server does as
// little as one can.
func BenchmarkShortExchange(b *testing.B) {
	answer := fixture(b, "wire/openai-chat/stream.txt")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	canned := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		len(answer.Body), answer.Body)
	go serveCanned(listener, canned)
	client := newClient(b, "http://"+listener.Addr().String(), provider.Limits{})
	defer client.Close()
	req := benchRequest(2 << 10)
	req.Stream = true
	before := processorTime()
	for b.Loop() {
		if resp, err := client.Do(b.Context(), req); err != nil || !resp.OK() {
			b.Fatalf("%+v %v", resp, err)
		}
	}
	b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportAllocs()
}

// serveCanned gives the same answer to everybody.
func serveCanned(listener net.Listener, answer []byte) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		r, err := http.ReadRequest(bufio.NewReader(conn))
		if err == nil {
			io.Copy(io.Discard, r.Body)
			conn.Write(answer)
		}
		conn.Close()
	}
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkParseStream(b *testing.B) {
	var events []string
	for i := range 1000 {
		events = append(events, delta(fmt.Sprintf(`"content":"word%d "`, i)))
	}
	body := []byte(sse(append(events, stop, counts)...))
	client := newClient(b, "http://127.0.0.1", provider.Limits{})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if resp := client.Parse(200, nil, bytes.NewReader(body)); !resp.OK() {
			b.Fatalf("%+v", resp.Failure)
		}
	}
}
