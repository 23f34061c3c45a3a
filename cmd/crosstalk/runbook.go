package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"crosstalk/alerting"
	"crosstalk/checks"
)

func newRunbook(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "runbook [NAME]",
		Short: "what to do about a finding",
		Long: `runbook prints what a finding means, how to confirm it and what to do, in
Markdown. NAME is the check of the finding, the part before the slash. Without
one it lists the names.`,
		Example: `  crosstalk runbook
  crosstalk runbook foreignmarker`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(fmt.Errorf("%s takes one name at most, got %d", cmd.CommandPath(), len(args)), "'crosstalk runbook' lists the names")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(e.stdout, strings.Join(runbookNames(), "\n"))
				return err
			}
			// A finding is printed as check/kind, and is pasted as such.
			name, _, _ := strings.Cut(args[0], "/")
			text, ok := alerting.Runbook(name)
			if !ok {
				return usageError(fmt.Errorf("there is no runbook %q", args[0]), "the runbooks are "+strings.Join(runbookNames(), ", "))
			}
			_, err := io.WriteString(e.stdout, text)
			return err
		},
	}
}

// runbookNames are the names of the runbooks: those of the checks, and of
// incidents that are about the prober itself.
func runbookNames() []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if _, ok := alerting.Runbook(name); ok && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, c := range checks.All() {
		add(c.Name())
	}
	add("blind")
	add("prober")
	return names
}
