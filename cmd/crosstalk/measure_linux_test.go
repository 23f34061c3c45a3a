package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/config"
	"crosstalk/internal/ledger"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/simulator"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// The numbers of the daemon that docs/measurements.md quotes, with the real
// program and the simulator in processes of their own:
//
//	go test -run '^$' -bench 'Serve|Probe|Streams' ./cmd/crosstalk
//
// They are measured, and judged by whoever reads them: nothing fails for being
// slow.

// measured is a folder with the program and a configuration.
type measured struct {
	program, config string
	simulator       string // base URL
}

func newMeasured(b *testing.B, simulateFlags ...string) *measured {
	b.Helper()
	dir := b.TempDir()
	m := &measured{program: filepath.Join(dir, "crosstalk"), config: filepath.Join(dir, "crosstalk.yaml")}
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", m.program, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	_, line := m.start(b, ", on http://", append([]string{"simulate", "--listen", "127.0.0.1:0", "--fault", "none", "--window", "32768"}, simulateFlags...)...)
	m.simulator = "http://" + strings.TrimSuffix(strings.Fields(line)[0], "/v1")
	if out, err := exec.Command(m.program, "config", "init", "--dir", dir).CombinedOutput(); err != nil {
		b.Fatalf("config init: %v\n%s", err, out)
	}
	text := servedConfig(m.simulator+"/v1", "http://127.0.0.1:9/hook", smallWindow, "  - {kind: pulse, every: 1h}")
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return m
}

// start starts the program and waits until it writes a mark; it returns what
// follows the mark.
func (m *measured) start(b *testing.B, mark string, args ...string) (cmd *exec.Cmd, line string) {
	b.Helper()
	cmd = exec.Command(m.program, args...)
	out := &syncBuffer{}
	cmd.Env, cmd.Stdout, cmd.Stderr = processEnvironment(), out, out
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	bound := time.After(time.Minute)
	for {
		select {
		case <-tick.C:
			if _, rest, ok := strings.Cut(out.String(), mark); ok && strings.Contains(rest, "\n") {
				return cmd, rest
			}
		case <-bound:
			b.Fatalf("%v never wrote %q:\n%s", args, mark, out)
		}
	}
}

func processEnvironment() []string {
	return append(os.Environ(), "KEY_ALPHA=key-KEY_ALPHA", "KEY_BRAVO=key-KEY_BRAVO", "HOOK=key-HOOK")
}

// memory is a line of /proc/PID/status, in MiB.
func memory(b *testing.B, pid int, line string) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), line+":")
	n, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return n / 1024
}

// BenchmarkServeStart: the time from the start of the process, with a ledger that
// is there, to a ready answer.
func BenchmarkServeStart(b *testing.B) {
	m := newMeasured(b)
	once, _ := m.start(b, "msg=serving address=", "serve", "-c", m.config, "--web.listen-address", "127.0.0.1:0") // makes the ledger
	m.terminate(b, once)
	for b.Loop() {
		cmd, line := m.start(b, "msg=serving address=", "serve", "-c", m.config, "--web.listen-address", "127.0.0.1:0")
		resp, err := http.Get("http://" + strings.Fields(line)[0] + "/-/ready")
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Fatalf("not ready: %v", err)
		}
		resp.Body.Close()
		b.StopTimer()
		m.terminate(b, cmd)
		b.StartTimer()
	}
}

func (m *measured) terminate(b *testing.B, cmd *exec.Cmd) {
	b.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	_ = cmd.Wait()
}

// BenchmarkServeIdle: the memory of a daemon with nothing to do, two minutes
// after its start and its first controls, and the most it ever had.
func BenchmarkServeIdle(b *testing.B) {
	m := newMeasured(b)
	for b.Loop() {
		cmd, _ := m.start(b, "msg=serving address=", "serve", "-c", m.config, "--web.listen-address", "127.0.0.1:0")
		<-time.After(2 * time.Minute)
		b.ReportMetric(memory(b, cmd.Process.Pid, "VmRSS"), "idle-MiB")
		b.ReportMetric(memory(b, cmd.Process.Pid, "VmHWM"), "most-MiB")
		m.terminate(b, cmd)
	}
}

// site is the configured target with clients of this process.
func (m *measured) site(b *testing.B) (*pipeline.Site, *tenants.Codec) {
	b.Helper()
	cfg, err := config.Load(m.config, config.Options{Now: time.Now(), LookupEnv: func(name string) (string, bool) { return "key-" + name, true }})
	if err != nil {
		b.Fatal(err)
	}
	site, err := newSite(cfg, cfg.Targets[0])
	if err != nil {
		b.Fatal(err)
	}
	codec, err := daemonCodec(cfg)
	if err != nil {
		b.Fatal(err)
	}
	return site, codec
}

// BenchmarkProbe: the CPU time of one short streamed probe from plan to verdict,
// over a new connection, kept in memory and in the ledger. The engine is another
// process and not in it.
func BenchmarkProbe(b *testing.B) {
	m := newMeasured(b, "--speed", "1000")
	site, codec := m.site(b)
	l, err := ledger.Open(b.Context(), filepath.Join(b.TempDir(), "crosstalk.db"), ledger.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for name, store := range map[string]pipeline.Store{
		"memory": pipeline.NewRing(probes.Limits{}, func(string) probes.Pricing { return probes.Pricing{} }),
		"ledger": l,
	} {
		b.Run(name, func(b *testing.B) {
			e := &pipeline.Engine{Codec: codec, Minter: tenants.NewMinter(codec, time.Now, nil), Store: store, Checks: checks.All(), Now: time.Now}
			exchanges, before := 0, processorTime()
			for b.Loop() {
				c := pipeline.Campaign{Engine: e, Site: site, Items: []pipeline.Item{{Probe: probes.Pulse{}, Rounds: 1}}, Seed: uint64(exchanges)}
				outcomes, err := c.Run(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				exchanges += len(outcomes[0].Round.Exchanges)
			}
			b.ReportMetric((processorTime()-before).Seconds()*1000/float64(exchanges), "cpu-ms/probe")
		})
	}
}

// processorTime is the CPU time of this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for this process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStreams: a thousand streams at once: the memory they take, and how far
// the times to first token are from the engine's own. It sends to the dialect's
// client as a probe does.
func BenchmarkStreams(b *testing.B) {
	const streams = 1000
	m := newMeasured(b, "--speed", "0.05", "--window", "2097152") // its pools hold a thousand prompts
	site, codec := m.site(b)
	var wrong []float64
	for b.Loop() {
		debug.FreeOSMemory()
		base := memory(b, os.Getpid(), "VmRSS")
		times := m.stream(b, site, codec, streams)
		b.ReportMetric(base, "base-MiB")
		b.ReportMetric(times.most, "most-MiB")
		b.ReportMetric(float64(times.failed), "failed")
		truths := m.truth(b)
		for id, ttft := range times.byID {
			if truth, ok := truths[id]; ok {
				wrong = append(wrong, math.Abs(ttft-truth)*1000)
			}
		}
	}
	slices.Sort(wrong)
	if n := len(wrong); n > 0 {
		b.ReportMetric(wrong[n/2], "ttft-error-p50-ms")
		b.ReportMetric(wrong[n*99/100], "ttft-error-p99-ms")
	}
}

// streamed is what came of many streams.
type streamed struct {
	most   float64 // memory, MiB
	failed int
	byID   map[string]float64 // time to first token, seconds
}

// stream sends so many prompts at once.
func (m *measured) stream(b *testing.B, site *pipeline.Site, codec *tenants.Codec, n int) streamed {
	b.Helper()
	plan, err := probes.Pulse{}.Plan(1, probes.State{Target: site.Target, Tenants: site.Tenants, Now: time.Now()})
	if err != nil {
		b.Fatal(err)
	}
	minter := tenants.NewMinter(codec, time.Now, nil)
	var in probes.Intent
	for in = range plan.Intents() {
		break
	}
	key, err := site.Tenants[0].Credential.Value()
	if err != nil {
		b.Fatal(err)
	}
	s := streamed{byID: map[string]float64{}}
	var mu sync.Mutex
	var all sync.WaitGroup
	ctx, stop := context.WithCancel(b.Context())
	var watch sync.WaitGroup
	watch.Go(func() {
		for ctx.Err() == nil {
			s.most = max(s.most, memory(b, os.Getpid(), "VmRSS"))
			runtime.Gosched()
			<-time.After(20 * time.Millisecond)
		}
	})
	for range n {
		_, prompt, err := minter.Mint(site.Tenants[0].Index, in.Spec)
		if err != nil {
			b.Fatal(err)
		}
		req := &provider.Request{ID: uuid.Must(uuid.NewV7()), Credential: key, Model: "sim", Prompt: prompt, MaxTokens: in.MaxTokens, Stream: true}
		all.Go(func() {
			resp, err := site.Clients[site.Tenants[0].Name].Do(b.Context(), req)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || resp.Failure != nil {
				s.failed++
				return
			}
			s.byID[req.ID.String()] = (resp.Times.FirstContent - resp.Times.Wrote).Seconds()
		})
	}
	all.Wait()
	stop()
	watch.Wait()
	return s
}

// truth is the engine's own time to first token of each request, seconds.
func (m *measured) truth(b *testing.B) map[string]float64 {
	b.Helper()
	resp, err := http.Get(m.simulator + "/admin/truth")
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	var list []simulator.Truth
	if _, err := body.ReadFrom(resp.Body); err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(body.Bytes(), &list); err != nil {
		b.Fatal(err)
	}
	byID := map[string]float64{}
	for _, t := range list {
		byID[t.ID] = t.TTFT
	}
	return byID
}
