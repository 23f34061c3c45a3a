//go:build e2e || long

package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"crosstalk/bench/engine"
	"crosstalk/internal/report"
	"crosstalk/tenants"
)

// program builds the command once and returns its path.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "crosstalk-suite-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "crosstalk")
	if out, err := exec.Command("go", "build", "-o", path, "crosstalk/cmd/crosstalk").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build crosstalk: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// target is a server as a configuration describes it.
type target struct {
	*engine.Server
	window  int               // advertised, tokens
	headers map[string]string // of every request
	seals   bool              // the model lists phrases, and does not copy a code
}

// slotWindow is the window of one of four slots, tokens: short, so that prompts
// are. A byte is a token, and on a busy machine one thread reads a thousand of
// them a second.
const slotWindow = 2048

// contextFlag is the context that four slots share.
const contextFlag = "8192"

// maxOutput is long enough for five phrases, or for a stranger's text to be told
// from an accident.
func (g target) maxOutput() int {
	if g.seals {
		return 1024
	}
	return 256
}

// config writes a configuration of a target with so many accounts and a fleet key
// of its own, and returns its path. The copy model copies one code; its target
// may ask for no more. An answer may be long enough for a stranger's text to be
// told from an accident.
func (g target) config(t *testing.T, accounts int) string {
	t.Helper()
	var b strings.Builder
	folder := t.TempDir()
	fmt.Fprintf(&b, `version: 1
fleet_keys: [file:./fleet.key]
targets:
  - name: engine
    api: openai-chat
    base_url: %s
    model: %s
    window: %d
    max_output: %d
`, g.BaseURL, engine.Model, g.window, g.maxOutput())
	if g.seals {
		b.WriteString("    dress: words\n    task: seals\n    family: prose\n")
	} else {
		b.WriteString("    dress: code\n    task: echo\n    family: code\n")
	}
	if len(g.headers) > 0 {
		b.WriteString("    headers:\n")
		for i, name := range slices.Sorted(maps.Keys(g.headers)) {
			variable := fmt.Sprintf("HEADER_%d", i+1)
			t.Setenv(variable, g.headers[name])
			fmt.Fprintf(&b, "      %s: env:%s\n", name, variable)
		}
	}
	b.WriteString("tenants:\n")
	for i := range accounts {
		fmt.Fprintf(&b, "  - {name: tenant%02d, index: %d, credential: \"env:KEY_%d\", domain: org-%d}\n", i+1, i+1, i+1, i+1)
	}
	key, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "fleet.key"), []byte(key.Encode()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "crosstalk.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// crosstalk runs the command and returns its exit code and output.
func crosstalk(ctx context.Context, t *testing.T, args ...string) (int, []byte) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = os.Environ()
	for i := range maxTenants {
		cmd.Env = append(cmd.Env, fmt.Sprintf("KEY_%d=key-%d", i+1, i+1))
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if cmd.ProcessState.ExitCode() == report.ExitUsage {
		t.Fatalf("crosstalk %s: %s", strings.Join(args, " "), stderr.Bytes())
	}
	return cmd.ProcessState.ExitCode(), stdout.Bytes()
}

const maxTenants = 16

// outcome is what both commands say in JSON, as far as it is looked at here.
type outcome struct {
	Exit     int
	Class    string        `json:"class"`
	Totals   report.Counts `json:"totals"`
	Findings []finding     `json:"findings"`
	Result   struct {
		Class string `json:"class"`
	} `json:"result"` // of probe
}

type finding struct {
	Check    string  `json:"check"`
	Kind     string  `json:"kind"`
	Class    string  `json:"class"`
	Exchange string  `json:"exchange"`
	Tenant   string  `json:"tenant"`
	Probe    string  `json:"probe"`
	Round    string  `json:"round"`
	Detail   string  `json:"detail"`
	PChance  float64 `json:"p_chance"`
	Donor    string  `json:"origin_tenant"` // "": not known
	Origin   *origin `json:"origin"`
}

// origin is which prompt a content came from, and where it stands there.
type origin struct {
	Exchange string `json:"exchange"`
	Offset   int64  `json:"prompt_offset"`
}

func (f finding) name() string { return f.Check + "/" + f.Kind }

// judge runs a command against a target of a new configuration.
func (g target) judge(t *testing.T, accounts int, args ...string) outcome {
	t.Helper()
	return judge(t, g.config(t, accounts), 1, args...)
}

// judge runs a command with a configuration.
func judge(t *testing.T, path string, seed int, args ...string) outcome {
	t.Helper()
	shown := strings.Join(args, " ")
	code, text := crosstalk(t.Context(), t, append(args, "-c", path, "--seed", strconv.Itoa(seed), "--json")...)
	o := outcome{Exit: code}
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatalf("crosstalk %s: %v\n%.2000s", shown, err, text)
	}
	if o.Class == "" {
		o.Class = o.Result.Class
	}
	c := o.Totals
	t.Logf("%s: exit %d, %s; %d exchanges: %d sound, %d degraded, %d damaged, %d foreign, %d leak, %d undecided",
		shown, code, o.Class, c.Sent, c.Sound, c.Degraded, c.Damaged, c.Foreign, c.Leak, c.Inconclusive)
	return o
}

// list is the findings, for a test's log.
func (o outcome) list() string {
	var b strings.Builder
	for i, f := range o.Findings {
		if i == 20 {
			fmt.Fprintf(&b, "  and %d more\n", len(o.Findings)-i)
			break
		}
		fmt.Fprintf(&b, "  %s %s (%s of %s): %s\n", f.Class, f.name(), f.Probe, f.Tenant, f.Detail)
	}
	return b.String()
}

// dir is where the servers are built.
func dir(t *testing.T) string {
	t.Helper()
	d, err := engine.DefaultDir()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// running ends a server with the test, or fails the test that could not start
// one; log is what it said.
func running(t *testing.T, s *engine.Server, log *bytes.Buffer, err error) *engine.Server {
	t.Helper()
	if err != nil {
		t.Fatalf("%v\n%s", err, log.Bytes())
	}
	t.Cleanup(s.Stop)
	return s
}

// llama starts the server of llama.cpp.
func llama(t *testing.T, flags ...string) target {
	t.Helper()
	var log bytes.Buffer
	s, err := engine.Start(t.Context(), dir(t), &log, append([]string{"-c", contextFlag}, flags...)...)
	return target{Server: running(t, s, &log, err), window: slotWindow}
}

// patched starts it with a fault.
func patched(t *testing.T, fault engine.Fault, flags ...string) target {
	t.Helper()
	var log bytes.Buffer
	s, err := engine.StartPatched(t.Context(), dir(t), &log, fault, append([]string{"-c", contextFlag}, flags...)...)
	return target{Server: running(t, s, &log, err), window: slotWindow}
}

// poolCommand is the command that finds the seed fault, and that must be silent
// without it: the first rounds teach the tokenizer and fill every slot with
// marked prompts, the others go above the pool.
const poolCommand = "validate --only pulse=5,seedwatch=3,top=1"

// pool is as much of the window as the pool of the incident was.
const pool = slotWindow * 65 / 100

// copyingErrors is in how many answers a code came back cut, with another character
// or not at all, and whether nothing else is wrong: the copy model, which continues
// by the last four bytes, loses those in which four stand twice, one in a thousand.
// It leaves out what is between them, or goes round in a loop and then in signs.
func (o outcome) copyingErrors() (n int, only bool) {
	lost, wrong := map[string]bool{}, map[string]bool{} // exchanges
	for _, f := range o.Findings {
		if f.Class != "damaged" {
			continue
		}
		wrong[f.Exchange] = true
		switch f.name() {
		case "recall/cut_seal", "recall/altered_seal", "recall/lost_seal":
			lost[f.Exchange] = true
		case "repetition/run", "repetition/cycle":
		default:
			return len(lost), false
		}
	}
	return len(lost), o.Class == "damaged" && len(wrong) == len(lost)
}

// copyingError reports whether all that is wrong in a run of a few dozen exchanges
// is up to three such codes. A server that is unsound loses far more.
func (o outcome) copyingError() bool {
	n, only := o.copyingErrors()
	return only && n <= 3
}
