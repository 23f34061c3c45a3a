package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crosstalk/internal/config"
	"crosstalk/internal/preflight"
	"crosstalk/internal/report"
	"crosstalk/internal/secret"
	"crosstalk/tenants"
)

// preflightFlags are the flags of preflight.
type preflightFlags struct {
	config         configFlags
	urls, from     []string
	key, auth      string
	model, engine  string
	window         int
	timeout        time.Duration
	accept         []string
	strict, asJSON bool
	insecureHTTP   bool
	format, output string
	hasConfig      bool
}

func newPreflight(e *env) *cobra.Command {
	f := &preflightFlags{}
	cmd := &cobra.Command{
		Use:   "preflight",
		Short: "read what an engine says of itself and judge it, before any probe",
		Long: `preflight reads the KV pool, the context window and the settings that an engine
states, and judges them without sending a prompt: a pool smaller than the window,
a decode pool larger than the prefill pool, prompts cut silently, shared caches,
versions with a known fault. It reads SGLang, vLLM, llama.cpp, Ollama and
TensorRT-LLM: live (--url), or saved answers, metrics pages, launch flags and Helm
values (--from). Several nodes are judged together: name them NAME=URL and
NAME=FILE. Without either, the preflight: of a target of the configuration is
read.

Each address is read once, without a key first: that anybody may read it is a
finding of its own. Reading is no load, but it is access: for an engine that is
not on this machine, say on whose word with --authorization, or use a target of
the configuration, which states it.

Judgements, for --accept: ` + strings.Join(preflight.IDs(), ", ") + `.

Exit codes: 0 fine, 1 a finding, 2 usage or configuration, 3 something was
unreadable or pool and window are not known: what is absent is never fine.`,
		Example: `  crosstalk preflight --from server_info.json
  crosstalk preflight --url http://127.0.0.1:30000 --window 1048576
  crosstalk preflight --url prefill=http://10.0.0.1:30000 --url decode=http://10.0.0.2:30000 \
      --key env:SGLANG_KEY --insecure-http --authorization "owner, CHG-1234"
  crosstalk preflight --from values.yaml --from metrics.txt --format junit -o preflight.xml
  crosstalk preflight -c crosstalk.yaml -t edge-glm`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return runPreflight(cmd.Context(), e, f)
		},
	}
	f.config.add(cmd)
	fl := cmd.Flags()
	fl.StringArrayVar(&f.urls, "url", nil, "root of a live engine, URL or NAME=URL; repeatable, one for each node")
	fl.StringArrayVar(&f.from, "from", nil, "file with a saved answer, metrics page, launch flags or Helm values, FILE or NODE=FILE; repeatable")
	fl.StringVar(&f.key, "key", "", "API key of the engines by reference (env:NAME or file:PATH), given only where it is asked for")
	fl.StringVar(&f.auth, "authorization", "", "who allowed engines on other machines to be read, and where that is written")
	fl.BoolVar(&f.insecureHTTP, "insecure-http", false, "allow the key to cross the network in the clear (http:// to another machine)")
	fl.IntVar(&f.window, "window", 0, "context window that customers are told, in tokens (default: the target's, else none)")
	fl.StringVar(&f.model, "model", "", "model to look at where a server has several")
	fl.StringVar(&f.engine, "engine", "", "engine, if it is not recognised: "+strings.Join(preflight.Engines(), ", "))
	fl.DurationVar(&f.timeout, "timeout", preflight.DefaultTimeout, "longest wait for one answer")
	fl.StringSliceVar(&f.accept, "accept", nil, "judgement whose finding is known and accepted; repeatable")
	fl.BoolVar(&f.strict, "strict", false, "exit 3 on any unknown, not only on those of pool and window")
	fl.StringVar(&f.format, "format", "text", "format of the report: "+strings.Join(report.Formats(), ", "))
	fl.BoolVar(&f.asJSON, "json", false, "the same as --format json")
	fl.StringVarP(&f.output, "output", "o", "", "write the report to this file instead of standard output")
	return cmd
}

// check refuses flags that contradict each other or make no sense.
func (f *preflightFlags) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if f.asJSON && given("format") && f.format != "json" {
		return exclusive(cmd, "json", "format", "--json is --format json; give one of them")
	}
	if f.asJSON {
		f.format = "json"
	}
	switch {
	case !slices.Contains(report.Formats(), f.format):
		return usageError(fmt.Errorf("unknown format %q", f.format), "use one of "+strings.Join(report.Formats(), ", "))
	case given("engine") && !slices.Contains(preflight.Engines(), f.engine):
		return usageError(fmt.Errorf("unknown engine %q", f.engine), "use one of "+strings.Join(preflight.Engines(), ", "))
	case f.timeout <= 0:
		return usageError(fmt.Errorf("--timeout is %s", f.timeout), "write it like --timeout 10s")
	}
	for _, id := range f.accept {
		if !slices.Contains(preflight.IDs(), id) {
			return usageError(fmt.Errorf("--accept names no judgement: %q", id), "the judgements are "+strings.Join(preflight.IDs(), ", "))
		}
	}
	f.hasConfig = given("config") || given("target") || len(f.urls)+len(f.from) == 0
	return atLeast(cmd, "window", f.window, 1)
}

// preflightJob is what to read, and how to judge it.
type preflightJob struct {
	addresses []preflight.Address
	files     []preflight.File
	reader    preflight.Reader
	options   preflight.Options
	auth      string
}

func runPreflight(ctx context.Context, e *env, f *preflightFlags) error {
	job, err := f.job(e)
	if err != nil {
		return err
	}
	out, err := newReportFile(e, f.output)
	if err != nil {
		return err
	}
	r, err := job.run(ctx, e)
	if err != nil {
		return err
	}
	return deliverReport(e, out, r.ExitCode, r.VerdictLine(), func(w io.Writer) error { return r.Write(w, f.format) })
}

// run reads and judges.
func (j *preflightJob) run(ctx context.Context, e *env) (*preflight.Report, error) {
	files, err := orInterrupted(e, func() ([]*preflight.Node, error) { return preflight.ReadFiles(j.files), nil })
	if err != nil {
		return nil, fmt.Errorf("read files: %w", err)
	}
	named := slices.ContainsFunc(j.files, func(f preflight.File) bool { return f.Node != "" })
	nodes := preflight.Merge(files, j.reader.Read(ctx, j.addresses), named)
	r, err := preflight.Judge(nodes, j.options)
	if err != nil {
		return nil, err
	}
	r.Version, r.At, r.Authorization = version(), e.now().UTC(), j.auth
	return r, nil
}

// job is the job of the flags.
func (f *preflightFlags) job(e *env) (*preflightJob, error) {
	j := &preflightJob{auth: f.auth}
	if f.hasConfig {
		var err error
		if j, err = f.configured(e); err != nil {
			return nil, err
		}
	}
	j.options.Accept, j.options.Strict, j.reader.Timeout = f.accept, f.strict, f.timeout
	if f.window > 0 {
		j.options.Advertised, j.options.From = f.window, "--window"
	}
	if f.model != "" {
		j.reader.Model = f.model
	}
	if f.engine != "" {
		j.reader.Engine = f.engine
	}
	if err := f.named(j); err != nil {
		return nil, err
	}
	return j, f.credential(e, j)
}

// named adds what --url and --from name.
func (f *preflightFlags) named(j *preflightJob) error {
	if len(f.urls) > 0 {
		j.addresses = nil
	}
	for _, text := range f.urls {
		name, address, err := preflight.Named(text)
		if err != nil {
			return usageError(fmt.Errorf("--url: %w", err), "write it like http://127.0.0.1:30000 or prefill=http://127.0.0.1:30000")
		}
		if err := checkAddress("url", address); err != nil {
			return err
		}
		if strings.ContainsAny(address, "@?#") {
			return usageError(errors.New("--url holds a user name, a query or a fragment"), "leave them out: addresses are printed; a key is named with --key")
		}
		if !onThisMachine(address) && f.auth == "" && j.auth == "" {
			return usageError(fmt.Errorf("--url %s is not on this machine, and nothing says who allowed it to be read", address),
				`add --authorization "who, and where it is written", or use a target of a configuration: preflight: {urls: [...]}`)
		}
		j.addresses = append(j.addresses, preflight.Address{Name: name, URL: address})
	}
	for _, text := range f.from {
		name, path, err := preflight.Named(text)
		if err != nil {
			return usageError(fmt.Errorf("--from: %w", err), "write it like server_info.json or prefill=server_info.json")
		}
		j.files = append(j.files, preflight.File{Node: name, Path: path})
	}
	return nil
}

// credential reads the key that --key names.
func (f *preflightFlags) credential(e *env, j *preflightJob) error {
	if f.key == "" {
		return nil
	}
	if len(j.addresses) == 0 {
		return usageError(errors.New("--key goes with a live engine only"), "leave it out, or name the engine with --url")
	}
	for _, a := range j.addresses {
		if strings.HasPrefix(a.URL, "http://") && !onThisMachine(a.URL) && !f.insecureHTTP {
			return usageError(fmt.Errorf("--key would go to %s in the clear", a.URL), "use https://, or allow it with --insecure-http")
		}
	}
	var err error
	j.reader.Key, err = readReference(e, f.key)
	if err != nil {
		return usageError(fmt.Errorf("--key: %w", err), "write it as env:NAME or file:PATH")
	}
	return nil
}

// readReference reads a secret by reference, relative to the working folder.
func readReference(e *env, ref string) (secret.Value, error) {
	c, err := tenants.NewCredential(ref, ".", e.lookup)
	if err != nil {
		return secret.Value{}, err
	}
	return c.Value()
}

// onThisMachine reports whether an address is on this machine's loopback
// interface.
func onThisMachine(address string) bool { return (config.Target{BaseURL: address}).Probe().Loopback }

// configured is the job of a target of the configuration.
func (f *preflightFlags) configured(e *env) (*preflightJob, error) {
	cfg, err := f.config.load(e)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError(err, "name an engine with --url, saved answers with --from, or a configuration with --config")
	}
	if err != nil {
		return nil, err
	}
	t, err := f.config.choose(cfg)
	if err != nil {
		return nil, err
	}
	j, err := preflightOf(cfg, t)
	if err != nil {
		return nil, err
	}
	if len(j.addresses)+len(f.urls)+len(f.from) == 0 {
		return nil, usageError(fmt.Errorf("target %s of %s has no preflight", t.Name, f.config.path),
			`add preflight: {urls: ["http://..."]} to it, or name what to read with --url or --from`)
	}
	return j, nil
}

// preflightOf is the job that the preflight of a target describes; without
// addresses if it has none.
func preflightOf(cfg *config.Config, t config.Target) (*preflightJob, error) {
	j := &preflightJob{options: preflight.Options{Advertised: t.Window, From: fmt.Sprintf("%s, window of target %s", cfg.Path, t.Name)}}
	j.reader.Model = t.Model
	if a := t.Authorization; a != nil {
		j.auth = fmt.Sprintf("%s: %s, expires %s", a.Basis, a.Reference, a.Expires)
	}
	if t.Preflight == nil {
		return j, nil
	}
	for _, u := range t.Preflight.URLs {
		j.addresses = append(j.addresses, preflight.Address{URL: u})
	}
	j.reader.Engine = t.Preflight.Engine
	var err error
	if j.reader.Key, err = cfg.PreflightKey(t); err != nil {
		return nil, usageError(err, "set the variable, or write the file, that preflight.key refers to")
	}
	if j.reader.Roots, err = cfg.RootCAs(t); err != nil {
		return nil, usageError(err, "name a file of PEM certificates with ca_file, or leave it out")
	}
	return j, nil
}
