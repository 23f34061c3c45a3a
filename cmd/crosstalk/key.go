package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"crosstalk/internal/config"
	"crosstalk/tenants"
)

// keyFlags names the fleet key of a command that reads markers but no
// configuration.
type keyFlags struct{ ref string }

func (k *keyFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.ref, "fleet-key", "", "fleet key by reference: file:PATH or env:NAME")
}

// optional is the codec of the key, nil if none was named.
func (k *keyFlags) optional(e *env) (*tenants.Codec, error) {
	if k.ref == "" {
		return nil, nil
	}
	return k.required(e)
}

func (k *keyFlags) required(e *env) (*tenants.Codec, error) {
	if k.ref == "" {
		return nil, usageError(fmt.Errorf("no fleet key: markers can be read with the key they were made with only"),
			"add --fleet-key file:PATH or --fleet-key env:NAME")
	}
	key, err := tenants.LoadFleetKey(k.ref, ".", e.lookup)
	if err != nil {
		return nil, usageError(err, "name the key that the markers were made with, by file:PATH (mode 0600) or env:NAME")
	}
	return tenants.NewCodec(key), nil
}

// fleetKeyError is the error of a configured fleet key that cannot be read,
// with the one command that makes its file if that is missing.
func fleetKeyError(cfg *config.Config, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usageError(err, "restore the key from a copy, or make a new one: crosstalk config keygen -o "+cfg.MissingKeyFile())
	}
	return usageError(err, "name the key by file:PATH (mode 0600) or env:NAME; 'crosstalk config keygen -o FILE' makes one")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
