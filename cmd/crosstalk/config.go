package main

import (
	"bytes"
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
	return group("config", "check, write and explain configurations",
		newConfigCheck(e), newConfigInit(e), newConfigKeygen(e), newConfigSchema(e), newConfigShow(e))
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
		Long: `init writes crosstalk.yaml and fleet.key (mode 0600) into a folder, which it makes
if need be: both, or if one of them exists already, neither. It never writes over
a file. Keep the key: with it any instance verifies any marker that was ever sent,
without it none.`,
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
			return existsAlready(p, "choose another folder with --dir, or move it away")
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usageError(fmt.Errorf("make the folder: %w", err), "choose another with --dir")
	}
	if err := writeFleetKey(keyPath); err != nil {
		return err
	}
	var starter bytes.Buffer
	if err := config.Init(&starter, e.now()); err != nil {
		return err
	}
	if err := writeNew(path, 0o644, starter.Bytes()); err != nil {
		return errors.Join(newFileError(path, err), os.Remove(keyPath)) // a key that nothing refers to yet
	}
	_, err := fmt.Fprintf(e.stdout, "wrote %s and %s\nfill in the target, then run: crosstalk validate -c %s --dry-run\n", path, keyPath, path)
	return err
}

func existsAlready(path, hint string) error {
	return usageError(fmt.Errorf("%s exists already, nothing was written", path), hint)
}

func newConfigKeygen(e *env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "keygen",
		Short: "write a fleet key alone: for an example, or to change the key",
		Long: `keygen writes a new fleet key (mode 0600), what init writes as fleet.key. It never
writes over a file. docs/evidence.md says how a fleet changes its key.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if output == "" {
				return usageError(errors.New("no file to write the key to"), "name a new one with -o, like -o fleet.key")
			}
			if err := writeFleetKey(output); err != nil {
				return err
			}
			_, err := fmt.Fprintf(e.stdout, "wrote %s\n", output)
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "new file for the key")
	return cmd
}

func writeFleetKey(path string) error {
	key, err := tenants.NewFleetKey()
	if err != nil {
		return fmt.Errorf("make a fleet key: %w", err)
	}
	if err := writeNew(path, 0o600, []byte(key.Encode()+"\n")); err != nil {
		return newFileError(path, err)
	}
	return nil
}

// newFileError is the error of writeNew.
func newFileError(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return existsAlready(path, "name a new file, or move that one away")
	}
	return usageError(fmt.Errorf("write a new file: %w", err), "name one in a folder that is there and can be written to")
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
