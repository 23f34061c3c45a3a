package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"crosstalk/internal/config"
	"crosstalk/tenants"
)

func newConfig(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "check, write and explain configurations",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := flags.load(e)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(e.stdout, "%s: %d targets, %d tenants, no problem\n", flags.path, len(cfg.Targets), len(cfg.Tenants))
			return err
		},
	}
	flags.addPath(cmd)
	return cmd
}

func newConfigInit(e *env) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "write a commented starter configuration and a fleet key",
		Long: `init writes crosstalk.yaml and fleet.key (mode 0600) into a folder. It never
writes over a file. Keep the key: with it any instance verifies any marker that
was ever sent, without it none.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			key, err := tenants.NewFleetKey()
			if err != nil {
				return fmt.Errorf("make a fleet key: %w", err)
			}
			path := filepath.Join(dir, "crosstalk.yaml")
			if err := writeNew(path, 0o644, func(f *os.File) error { return config.Init(f, e.now()) }); err != nil {
				return err
			}
			keyPath := filepath.Join(dir, "fleet.key")
			if err := writeNew(keyPath, 0o600, func(f *os.File) error {
				_, err := fmt.Fprintln(f, key.Encode())
				return err
			}); err != nil {
				return err
			}
			_, err = fmt.Fprintf(e.stdout, "wrote %s and %s\nfill in the target, then run: crosstalk validate -c %s --dry-run\n", path, keyPath, path)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "folder to write into")
	return cmd
}

// writeNew writes a file that does not exist yet.
func writeNew(path string, mode os.FileMode, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return usageError(fmt.Errorf("%s exists already", path), "choose another folder with --dir, or move it away")
	}
	if err != nil {
		return usageError(fmt.Errorf("write starter: %w", err), "choose a folder that can be written to with --dir")
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
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
