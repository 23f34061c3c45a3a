//go:build long

package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"crosstalk/bench/engine"
)

// ollamaContext is the context that Ollama is started with, and half the window
// that its target claims to have.
const ollamaContext = 1024

func ollama(t *testing.T) target {
	t.Helper()
	var log bytes.Buffer
	s, err := engine.StartOllama(t.Context(), dir(t), t.TempDir(), ollamaContext, &log)
	return target{Server: running(t, s, &log, err), window: 2 * ollamaContext}
}

// seals is the sound server with the model that lists five phrases.
func seals(t *testing.T) target {
	t.Helper()
	var log bytes.Buffer
	s, err := engine.StartSeals(t.Context(), dir(t), &log, "-c", "8192", "-np", "2")
	return target{Server: running(t, s, &log, err), window: 4096, seals: true}
}

// gateway is Portkey's in front of a sound server.
func gateway(t *testing.T) target {
	t.Helper()
	behind := llama(t)
	var log bytes.Buffer
	s, err := engine.StartGateway(t.Context(), dir(t), &log)
	return target{Server: running(t, s, &log, err), window: slotWindow, headers: engine.GatewayHeaders(behind.Server)}
}

// proxy is aimock in front of one.
func proxy(t *testing.T) target {
	t.Helper()
	behind := llama(t)
	var log bytes.Buffer
	s, err := engine.StartProxy(t.Context(), dir(t), t.TempDir(), behind.Server, &log)
	return target{Server: running(t, s, &log, err), window: slotWindow}
}

// mock is aimock with one answer for every prompt.
func mock(t *testing.T) target {
	t.Helper()
	folder := t.TempDir()
	const fixtures = `{"fixtures":[{"match":{"userMessage":"code"},"response":{"content":"ZX-48151623-qk7"}}]}`
	if err := os.WriteFile(filepath.Join(folder, "answers.json"), []byte(fixtures), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := engine.StartMock(t.Context(), dir(t), folder, &log)
	return target{Server: running(t, s, &log, err), window: slotWindow}
}

func echo(t *testing.T) target {
	t.Helper()
	var log bytes.Buffer
	s, err := engine.StartEcho(t.Context(), dir(t), &log)
	return target{Server: running(t, s, &log, err), window: slotWindow}
}

// TestLongVerdicts are the rows that take minutes, or another server than
// llama.cpp's.
func TestLongVerdicts(t *testing.T) {
	verdicts(t, []arm{
		{"llama.cpp, RoPE scale of 4", func(t *testing.T) target {
			return llama(t, "--rope-scaling", "linear", "--rope-scale", "4")
		}, []question{{args: "validate --only pulse=10", because: "recall/lost_seal"}}},
		{"llama.cpp, cache of eight bits", func(t *testing.T) target {
			return llama(t, "-fa", "on", "-ctk", "q8_0", "-ctv", "q8_0")
		}, []question{{args: "validate --only pulse=20", because: "recall/altered_seal"}}},
		{"llama.cpp, cache of four bits", func(t *testing.T) target {
			return llama(t, "-fa", "on", "-ctk", "q4_0", "-ctv", "q4_0")
		}, []question{{args: "validate --only pulse=2", because: "recall/lost_seal"}}},
		{"llama.cpp, one slot", func(t *testing.T) target { return llama(t, "-np", "1", "-c", "2048") }, []question{
			{args: "validate --only pulse=2,burst=1"},
		}},
		{"llama.cpp, context shift", func(t *testing.T) target { return llama(t, "--context-shift") }, []question{
			{args: "validate --only pulse=2,top=1"},
		}},
		{"llama.cpp, model of seals", seals, []question{
			{args: "probe --tokens 400", because: "answer/exact"},
			{args: "validate --only pulse=1"},
		}},
		{"patched, stray pages", func(t *testing.T) target { return patched(t, engine.Fault{Stray: 1}, "-kvu") }, []question{
			{args: "validate --only pulse=1,burst=3", because: "foreignmarker/marker", look: originKnown},
		}},
		{"patched, no fault on, one cache", func(t *testing.T) target { return patched(t, engine.Fault{}, "-kvu") }, []question{
			{args: "validate --only pulse=1,burst=3"},
		}},
	})
}

// TestLongOtherServers are the rows of servers that are not llama.cpp's.
func TestLongOtherServers(t *testing.T) {
	verdicts(t, []arm{
		{"mock-llm, echoes the prompt", echo, []question{
			{args: "validate --only pulse=2"},
			{args: "probe --tokens 300"},
		}},
		{"aimock, one answer for all", mock, []question{
			{args: "validate --only pulse=2", because: "recall/lost_seal"},
			{args: "probe --tokens 300", because: "recall/lost_seal"},
		}},
		{"aimock before llama.cpp", proxy, []question{
			{args: "validate --only pulse=2,burst=1"},
			{args: "probe --share 2 --over", because: "overlength/refused", detail: "2048 allowed"}, // 502 with the body of a 400
		}},
		{"portkey before llama.cpp", gateway, []question{
			{args: "probe --tokens 400", because: "answer/exact", shows: "X-Portkey-Provider: openai"},
			{args: "probe --tokens 400 --stream"}, // it answers 500
			{args: "probe --share 2 --over", because: "overlength/refused", detail: "2048 allowed"},
		}},
		{"ollama, context of 1024", ollama, []question{
			{args: "validate --only pulse=2,overlength=1", because: "usage/capped", detail: "1024 tokens counted"},
			{args: "probe --share 0.9", because: "recall/lost_seal"},
		}},
	})
}
