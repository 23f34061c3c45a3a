package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"crosstalk/internal/config"
	"crosstalk/internal/report"
	"crosstalk/tenants"
)

func newConfig(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "check, write and explain configurations",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(fmt.Errorf("config has no verb %q", args[0]), "use check, init, schema or show")
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			return usageError(errors.New("config needs a verb"), "use check, init, schema or show")
		},
	}
	cmd.AddCommand(newConfigCheck(e), newConfigInit(e), newConfigSchema(e), newConfigShow(e))
	return cmd
}

func newConfigCheck(e *env) *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "report every problem of a configuration, with its line and its mend",
		Long: `check reads a configuration and everything that it refers to and a command would
refuse: fleet keys with their mode, certificates, headers, schedules. A
credential that is not there yet is a warning. Nothing is sent.

Exit codes: 0 no problem (there may be warnings), 2 a problem.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := flags.load(e)
			if err != nil {
				return err
			}
			if err := checkReferences(e, cfg); err != nil {
				return err
			}
			verdict := "no problem"
			if n := len(cfg.Warnings); n > 0 {
				verdict = report.Plural(n, "warning")
			}
			_, err = fmt.Fprintf(e.stdout, "%s: %s, %s, %s\n", flags.path, report.Plural(len(cfg.Targets), "target"), report.Plural(len(cfg.Tenants), "tenant"), verdict)
			return err
		},
	}
	flags.addPath(cmd)
	return cmd
}

// checkReferences reads what the configuration refers to, as a command would:
// what they would refuse is a problem of the configuration.
func checkReferences(e *env, cfg *config.Config) error {
	if _, _, err := newCodec(cfg); err != nil {
		return err
	}
	if slices.ContainsFunc(cfg.Probes, config.Probe.Scheduled) {
		l, err := newLive(cfg, e.now())
		if err != nil {
			return err
		}
		l.close()
		return nil
	}
	for _, t := range cfg.Targets {
		site, err := newSite(cfg, t)
		if err != nil {
			return err
		}
		site.Close()
	}
	return nil
}

func newConfigInit(e *env) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "write a commented starter configuration and a fleet key",
		Long: `init writes crosstalk.yaml and fleet.key (mode 0600) into a folder: both, or if
one of them exists already, neither. It never writes over a file. Keep the key:
with it any instance verifies any marker that was ever sent, without it none.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return configInit(e, dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "folder to write into")
	return cmd
}

func configInit(e *env, dir string) error {
	path, keyPath := filepath.Join(dir, "crosstalk.yaml"), filepath.Join(dir, "fleet.key")
	for _, p := range []string{path, keyPath} {
		if _, err := os.Lstat(p); err == nil {
			return existsAlready(p)
		}
	}
	key, err := tenants.NewFleetKey()
	if err != nil {
		return fmt.Errorf("make a fleet key: %w", err)
	}
	if err := writeNew(keyPath, 0o600, func(f *os.File) error {
		_, err := fmt.Fprintln(f, key.Encode())
		return err
	}); err != nil {
		return err
	}
	if err := writeNew(path, 0o644, func(f *os.File) error { return config.Init(f, e.now()) }); err != nil {
		return errors.Join(err, os.Remove(keyPath)) // a key that nothing refers to yet
	}
	_, err = fmt.Fprintf(e.stdout, "wrote %s and %s\nfill in the target, then run: crosstalk validate -c %s --dry-run\n", path, keyPath, path)
	return err
}

func existsAlready(path string) error {
	return usageError(fmt.Errorf("%s exists already, nothing was written", path), "choose another folder with --dir, or move it away")
}

// writeNew writes a file that does not exist yet, and leaves none that is not
// whole.
func writeNew(path string, mode os.FileMode, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return existsAlready(path)
	}
	if err != nil {
		return usageError(fmt.Errorf("write starter: %w", err), "choose a folder that can be written to with --dir")
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(path))
	}
	return nil
}

func newConfigSchema(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of configurations, for editors",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := e.stdout.Write(config.Schema())
			return err
		},
	}
}

func newConfigShow(e *env) *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   "show",
		Short: "print the configuration in effect: defaults spelt out, secrets by reference",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := flags.load(e)
			if err != nil {
				return err
			}
			return cfg.Show(e.stdout)
		},
	}
	flags.addPath(cmd)
	return cmd
}
