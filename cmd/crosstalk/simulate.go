package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crosstalk/internal/simulator"
)

// simulateFlags are the flags of simulate as they are written.
type simulateFlags struct {
	listen, engine, profile, reuse, router, tokens, model string
	faults, keys                                          []string
	window, pool, replicas                                int
	strangers, speed                                      float64
	seed                                                  uint64
}

func newSimulate(e *env) *cobra.Command {
	f := &simulateFlags{}
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "serve a simulated multi-tenant engine with named faults",
		Long: `simulate serves an OpenAI-compatible endpoint on loopback whose "model" reads the
KV pages allotted to a request, not the request itself. Faults are mechanisms
that can be switched on; without one the engine is sound.

Engines:
` + describe(simulator.Presets()) + `
Faults (--fault NAME[,key=value...], repeatable; keys rate, min, max, conc,
prefix, from, until, and those named):
` + describe(simulator.Faults()) + `
Profiles (--profile WORD[,WORD...]): how good the model and the gateway are when
nothing is wrong:
` + describe(simulator.Profiles()) + `
Ground truth and switches are below /admin/ for clients on this machine.`,
		Example: `  crosstalk simulate --fault seed                      the incident: pool 681,280 behind a window of 1,048,576
  crosstalk simulate --fault seed --strangers 0.9999   the same as seen from outside
  crosstalk simulate --fault none                      a sound engine, pool 2,040,000
  crosstalk simulate --fault bang,rate=0.25 --profile miss2,chatty`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return simulate(cmd.Context(), e, f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:18080", "address to serve on")
	fl.StringVar(&f.engine, "engine", "", "faulty, fixed or honest (default: faulty with --fault seed, else fixed)")
	fl.StringArrayVar(&f.faults, "fault", nil, "fault to switch on, none for none; repeatable")
	fl.StringVar(&f.profile, "profile", "perfect", "how the healthy model and gateway behave")
	fl.Float64Var(&f.strangers, "strangers", 0, "share of pool pages last written by requests without markers, 0 to 1")
	fl.IntVar(&f.window, "window", 0, "context window in tokens; pools are scaled with it (default 1048576)")
	fl.IntVar(&f.pool, "pool", 0, "prefill pool in tokens (default: the engine's)")
	fl.IntVar(&f.replicas, "replicas", 1, "replicas with pools of their own")
	fl.StringVar(&f.router, "router", "sticky", "sticky (by key) or round-robin")
	fl.StringVar(&f.reuse, "page-reuse", "lifo", "order in which freed pages are used again: lifo, fifo, random, off")
	fl.StringVar(&f.tokens, "tokenizer", "words", "words, pieces for a smaller vocabulary, or bytes for one token a byte")
	fl.StringVar(&f.model, "model", "", "serve this model name only (default: any)")
	fl.StringArrayVar(&f.keys, "key", nil, "accept this API key only, KEY=LABEL or KEY, which is then its own label; repeatable (default: any key is a tenant of its own)")
	fl.Float64Var(&f.speed, "speed", 1, "multiplies the simulated prefill rate (1M tokens/s) and decode rate (2,000 tokens/s)")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of every draw")
	return cmd
}

func describe(list []simulator.Described) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "  %-16s %s\n", d.Name, d.Help)
	}
	return b.String()
}

// check refuses numbers that make no engine.
func (f *simulateFlags) check(cmd *cobra.Command) error {
	for _, n := range []struct {
		name         string
		value, least int
	}{{"window", f.window, 1024}, {"pool", f.pool, 1}, {"replicas", f.replicas, 1}} {
		if err := atLeast(cmd, n.name, n.value, n.least); err != nil {
			return err
		}
	}
	if !(f.strangers >= 0 && f.strangers <= 1) {
		return usageError(fmt.Errorf("--strangers is %v, not a share", f.strangers), "write a number from 0 to 1, like --strangers 0.9999")
	}
	return above0("speed", f.speed)
}

// options turns the flags into the simulator's options.
func (f *simulateFlags) options() (simulator.Options, error) {
	var faults []simulator.Fault
	for _, text := range f.faults {
		if text == "none" {
			continue
		}
		fault, err := simulator.ParseFault(text)
		if err != nil {
			return simulator.Options{}, err
		}
		faults = append(faults, fault)
	}
	engine := f.engine
	if engine == "" {
		engine = simulator.PresetFixed
		if slices.ContainsFunc(faults, func(f simulator.Fault) bool { return f.Name == simulator.FaultSeed && f.Pool == 0 }) {
			engine = simulator.PresetFaulty
		}
	}
	o, err := simulator.Preset(engine)
	if err != nil {
		return o, err
	}
	if len(f.faults) > 0 {
		o.Faults = faults
	}
	if f.window > 0 {
		o = o.Scale(f.window)
	}
	if f.pool > 0 {
		o.PrefillPool = f.pool
		o.DecodePool = max(o.DecodePool, f.pool)
	}
	if o.Profile, err = simulator.ParseProfile(f.profile); err != nil {
		return o, err
	}
	o.Strangers, o.Replicas, o.Router, o.Reuse = f.strangers, f.replicas, simulator.Router(f.router), simulator.Reuse(f.reuse)
	o.Tokens, o.Speed, o.Seed = simulator.Tokenizer(f.tokens), f.speed, f.seed
	o.Model, o.AnyModel = f.model, f.model == ""
	o.MountAdmin = true
	for _, k := range f.keys {
		key, label, labelled := strings.Cut(k, "=")
		if key == "" || labelled && label == "" {
			return o, errors.New("--key is to be KEY=LABEL, or KEY to be its own label")
		}
		if !labelled {
			label = key
		}
		if o.Keys == nil {
			o.Keys = map[string]string{}
		}
		o.Keys[key] = label
	}
	return o, nil
}

func simulate(ctx context.Context, e *env, f *simulateFlags) error {
	o, err := f.options()
	if err != nil {
		return usageError(err, "see 'crosstalk simulate --help' for the names")
	}
	server, err := simulator.New(o)
	if err != nil {
		return usageError(err, "see 'crosstalk simulate --help' for what the flags take")
	}
	defer server.Close()
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return usageError(fmt.Errorf("listen on %s: %w", f.listen, err), "choose a free address with --listen, like 127.0.0.1:18080")
	}
	fmt.Fprintf(e.stderr, "crosstalk: simulating window %d, prefill pool %d, faults %s, on http://%s/v1\n",
		o.Window, o.PrefillPool, faultNames(o.Faults), l.Addr())
	return serveUntil(ctx, l, server)
}

func faultNames(faults []simulator.Fault) string {
	if len(faults) == 0 {
		return "none"
	}
	var names []string
	for _, f := range faults {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// shutdownTime bounds how long requests in flight may take to end.
const shutdownTime = 2 * time.Second

// serveUntil serves until ctx ends, then lets what is in flight finish for a
// moment.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := srv.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop serving: %w", err)
	}
	return srv.Close()
}
