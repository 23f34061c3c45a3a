package main

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"crosstalk/internal/pipeline"
)

// refuseEmpty refuses flags that were given and are empty: mostly a variable
// of a script that is not set, and never meant as "all" or "none".
func refuseEmpty(cmd *cobra.Command) error {
	for _, name := range []string{
		"config", "target", "output", "format", "only", "url", "model", "key", "tenant", "fleet-key", "dir",
		"listen", "engine", "fault", "profile", "router", "page-reuse", "tokenizer",
		"from", "authorization", "accept",
	} {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		list, several := f.Value.(interface{ GetSlice() []string })
		if several && hollow(list.GetSlice()) || !several && f.Value.String() == "" {
			return usageError(fmt.Errorf("--%s is empty", name), "give it a value or leave it out; is a variable of the script not set?")
		}
	}
	return nil
}

// hollow reports whether a list of values has none, or an empty one.
func hollow(list []string) bool {
	for _, v := range list {
		if v == "" {
			return true
		}
	}
	return len(list) == 0
}

// exclusive refuses flags of which only one can be meant.
func exclusive(cmd *cobra.Command, one, other, hint string) error {
	if cmd.Flags().Changed(one) && cmd.Flags().Changed(other) {
		return usageError(fmt.Errorf("--%s and --%s contradict each other", one, other), hint)
	}
	return nil
}

// atLeast refuses a count that was given and is below the least that makes
// sense.
func atLeast(cmd *cobra.Command, name string, value, least int) error {
	if cmd.Flags().Changed(name) && value < least {
		return usageError(fmt.Errorf("--%s is %d, below %d", name, value, least), fmt.Sprintf("give --%s at least %d, or leave it out", name, least))
	}
	return nil
}

// above0 refuses a factor that is no positive, finite number.
func above0(name string, value float64) error {
	if value > 0 && !math.IsInf(value, 0) {
		return nil
	}
	return usageError(fmt.Errorf("--%s is %v, not a number above 0", name, value), fmt.Sprintf("write it like --%s 2 or --%s 0.5", name, name))
}

// checkAddress refuses what is not an http address with a host and a port that
// exists.
func checkAddress(name, text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "" && u.Scheme != "http" && u.Scheme != "https":
		return usageError(fmt.Errorf("--%s is not an address with a scheme", name), "write http:// in front, like http://127.0.0.1:8000/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		return usageError(fmt.Errorf("--%s has the scheme %q", name, u.Scheme), "write http:// or https:// in front, like http://127.0.0.1:8000/v1")
	case u.Host == "":
		return usageError(fmt.Errorf("--%s names no host", name), "write it like http://127.0.0.1:8000/v1")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return usageError(fmt.Errorf("--%s: there is no port %s", name, p), "ports go from 1 to 65535")
		}
	}
	return nil
}

// requireCredential refuses to start when no tenant of the site has a
// credential that can be read: nothing could be sent.
func requireCredential(site *pipeline.Site) error {
	var why []string
	for _, t := range site.Tenants {
		_, err := t.Credential.Value()
		if err == nil {
			return nil
		}
		why = append(why, fmt.Sprintf("%s: %v", t.Name, err))
	}
	if len(why) == 0 {
		return nil // without tenants: the plan says so better
	}
	return usageError(fmt.Errorf("no tenant of target %s has a credential, so nothing can be sent: %s", site.Target.Name, strings.Join(why, "; ")),
		"set the variable, or write the file, that the credential refers to")
}
