package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"crosstalk/checks"
	"crosstalk/internal/config"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/secret"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// configFlags names the configuration of a command and, where there are
// several, the target in it.
type configFlags struct{ path, target string }

func (c *configFlags) add(cmd *cobra.Command) {
	c.addPath(cmd)
	cmd.Flags().StringVarP(&c.target, "target", "t", "", "name of the target (needed where the configuration has several)")
}

func (c *configFlags) addPath(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&c.path, "config", "c", "crosstalk.yaml", "configuration file")
}

// load reads the configuration and prints its warnings.
func (c *configFlags) load(e *env) (*config.Config, error) {
	cfg, err := c.read(e)
	if err != nil {
		return nil, err
	}
	for _, w := range cfg.Warnings {
		fmt.Fprintf(e.stderr, "crosstalk: warning: %s\n", w)
	}
	return cfg, nil
}

// read reads the configuration. Its warnings are for those who are to probe
// with it: what the environment of an operator lacks does not matter.
func (c *configFlags) read(e *env) (*config.Config, error) {
	cfg, err := orInterrupted(e, func() (*config.Config, error) {
		return config.Load(c.path, config.Options{Now: e.now(), LookupEnv: e.lookup})
	})
	switch {
	case errors.Is(err, errInterrupted):
		return nil, fmt.Errorf("read %s: %w", c.path, err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError(err, "name one with --config, or write a starter with 'crosstalk config init'")
	case err != nil:
		return nil, usageError(err, "")
	}
	return cfg, nil
}

// choose is the target that the flag names, or the only one.
func (c *configFlags) choose(cfg *config.Config) (config.Target, error) {
	var names []string
	for _, t := range cfg.Targets {
		names = append(names, t.Name)
	}
	switch {
	case c.target == "" && len(cfg.Targets) == 1:
		return cfg.Targets[0], nil
	case c.target == "":
		return config.Target{}, usageError(fmt.Errorf("%s has %d targets", c.path, len(names)), fmt.Sprintf("choose one with --target: %q", names))
	}
	if t, ok := cfg.Target(c.target); ok {
		return t, nil
	}
	return config.Target{}, usageError(fmt.Errorf("%s has no target %q", c.path, c.target), fmt.Sprintf("its targets are %q", names))
}

// newSite makes the site of a configured target: its tenants, in order of
// their index, each with a client of its own.
func newSite(cfg *config.Config, t config.Target) (*pipeline.Site, error) {
	accounts, err := cfg.Accounts()
	if err != nil {
		return nil, usageError(err, "")
	}
	accounts = slices.DeleteFunc(accounts, func(a tenants.Tenant) bool {
		return len(a.Targets) > 0 && !slices.Contains(a.Targets, t.Name)
	})
	slices.SortFunc(accounts, func(a, b tenants.Tenant) int { return int(a.Index) - int(b.Index) })
	headers, err := cfg.HeaderValues(t)
	if err != nil {
		return nil, usageError(cfg.ProblemAt(targetKey(cfg, t, "headers"), err.Error(), "put the value where the reference leads, or remove the header"), "")
	}
	roots, err := cfg.RootCAs(t)
	if err != nil {
		return nil, usageError(cfg.ProblemAt(targetKey(cfg, t, "ca_file"), err.Error(), "name a file of PEM certificates, or remove the key"), "")
	}
	d := dial{
		api: t.API, baseURL: t.BaseURL, maxTokensField: t.MaxTokensField, thinking: t.Thinking,
		keyHeader: t.KeyHeader, proxy: t.Proxy, roots: roots, headers: reveal(headers),
	}
	clients, err := clientsFor(d, accounts)
	if err != nil {
		return nil, usageError(fmt.Errorf("target %s: %w", t.Name, err), "")
	}
	return &pipeline.Site{Target: t.Probe(), Tenants: accounts, Clients: clients}, nil
}

// targetKey is the path of a key of a target in the file.
func targetKey(cfg *config.Config, t config.Target, key string) string {
	i := slices.IndexFunc(cfg.Targets, func(o config.Target) bool { return o.Name == t.Name })
	return fmt.Sprintf("targets[%d].%s", i, key)
}

func reveal(values map[string]secret.Value) map[string]string {
	out := make(map[string]string, len(values))
	for name, v := range values {
		out[name] = v.Reveal()
	}
	return out
}

// newCodec is the codec of the configured fleet keys, or of a key made for this
// run only, which the note says.
func newCodec(cfg *config.Config) (codec *tenants.Codec, note string, err error) {
	keys, err := cfg.Keys()
	if err != nil {
		return nil, "", fleetKeyError(cfg, err)
	}
	if len(keys) > 0 {
		return tenants.NewCodec(keys[0], keys[1:]...), "", nil
	}
	return ephemeralCodec()
}

func ephemeralCodec() (*tenants.Codec, string, error) {
	key, err := tenants.NewFleetKey()
	if err != nil {
		return nil, "", fmt.Errorf("make a fleet key: %w", err)
	}
	return tenants.NewCodec(key), "no fleet key is configured: the markers of this run cannot be attributed after it", nil
}

// newEngine is an engine whose memory is a ring: what a one-shot command uses.
func newEngine(e *env, codec *tenants.Codec, limits probes.Limits, pricing func(string) probes.Pricing) (*pipeline.Engine, *pipeline.Ring) {
	ring := pipeline.NewRing(limits, pricing)
	return &pipeline.Engine{
		Codec: codec, Minter: tenants.NewMinter(codec, e.now, nil), Store: ring, Checks: checks.All(), Now: e.now,
		Parse: parseAnswer,
	}, ring
}

// tenantNames gives each tenant's name for its index.
func tenantNames(list []tenants.Tenant) map[uint16]string {
	names := map[uint16]string{}
	for _, t := range list {
		names[t.Index] = t.Name
	}
	return names
}
