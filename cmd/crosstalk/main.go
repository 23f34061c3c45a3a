// Command crosstalk is a black-box canary for LLM endpoints.
//
// It sends prompts that nobody else could have sent, from several synthetic
// accounts, and judges every answer: is it the right one, is it whole, did it
// come from our prompt, and is there anything in it that belongs to somebody
// else? Its exit code is the verdict; see README.md for the table.
//
// What it prints follows four rules. What was asked for goes to stdout,
// everything else to stderr. Lines to stderr begin with "crosstalk: ", in
// lower case and without a full stop; one that says what to do about it begins
// with "crosstalk: hint: ". Progress is shown only where stderr is a terminal.
// No secret and no text of an answer is printed by any command but probe
// --show-answer and evidence open --reveal.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"crosstalk/internal/report"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], processEnv())) }

// env is all a command may touch of the process it runs in, so that a test can
// run one without a process.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	lookup         func(string) (string, bool)
	now            func() time.Time
	terminal       bool // stderr is one
	// interrupted is closed when the process is told to end; nil: never.
	interrupted <-chan struct{}
}

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, e *env) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	e.interrupted = ctx.Done()
	root := newRoot(e)
	root.SetArgs(args)
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	return exitCode(e.stderr, root.ExecuteContext(ctx))
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "crosstalk",
		Short: "a black-box canary for LLM endpoints",
		Long: `crosstalk sends prompts with unique markers from several synthetic accounts to
an LLM endpoint and judges each answer: right, whole, made from our own prompt,
and free of any other tenant's content.

Exit codes of commands that judge: 0 sound, 1 damaged, 3 could not tell,
4 leak or foreign content; 2 is a usage or configuration error.`,
		Example: `  crosstalk demo                        see the fault happen and be caught
  crosstalk config init                 write a starter configuration
  crosstalk validate --dry-run          what would be sent, to whom, at what cost
  crosstalk validate                    judge the target once`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(fmt.Errorf("unknown command %q", args[0]), "'crosstalk --help' lists the commands")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return refuseEmpty(cmd) },
		SilenceUsage:      true,
		SilenceErrors:     true,
		Version:           version(),
	}
	root.SetVersionTemplate("crosstalk {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newDemo(e), newValidate(e), newProbe(e), newInspect(e), newAttribute(e), newSimulate(e), newConfig(e),
		newPreflight(e), newServe(e), newIncidents(e), newPause(e), newResume(e), newEvidence(e), newReplay(e), newDashboards(e), newRunbook(e), newBench(e),
	)
	return root
}

// flagError is the error of a flag in words of its own, where the library
// would show those of a parser.
func flagError(cmd *cobra.Command, err error) error {
	for _, w := range []struct{ parser, takes string }{
		{": strconv.ParseBool", "true or false"}, {": strconv.", "a number"}, {": time: ", "a length of time, like 10s"},
	} {
		if before, _, ok := strings.Cut(err.Error(), w.parser); ok {
			err = fmt.Errorf("%s: it takes %s", before, w.takes)
		}
	}
	return usageError(err, fmt.Sprintf("see '%s --help'", cmd.CommandPath()))
}

// group is a command that only has commands below it.
func group(name, short string, below ...*cobra.Command) *cobra.Command {
	var verbs []string
	for _, c := range below {
		verbs = append(verbs, c.Name())
	}
	hint := "use " + verbs[0]
	if last := len(verbs) - 1; last > 0 {
		hint = fmt.Sprintf("use %s or %s", strings.Join(verbs[:last], ", "), verbs[last])
	}
	cmd := &cobra.Command{
		Use: name, Short: short,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(fmt.Errorf("%s has no verb %q", name, args[0]), hint)
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return usageError(fmt.Errorf("%s needs a verb", name), hint) },
	}
	cmd.AddCommand(below...)
	return cmd
}

// exitError is an error with its exit code and, where there is one, what to do
// about it.
type exitError struct {
	err  error
	code int
	hint string
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usageError is a mistake in the command line or the configuration.
func usageError(err error, hint string) error {
	return &exitError{err: err, code: report.ExitUsage, hint: hint}
}

// verdict ends a command with an exit code that is not an error: the verdict
// has been printed already.
type verdict int

func (v verdict) Error() string { return fmt.Sprintf("exit %d", int(v)) }

func withVerdict(code int) error {
	if code == report.ExitSound {
		return nil
	}
	return verdict(code)
}

// exitCode prints an error and gives its exit code. Errors that are not ours to
// name are usage errors if cobra made them, else "could not tell": a command
// that failed has judged nothing.
func exitCode(stderr io.Writer, err error) int {
	var v verdict
	var e *exitError
	switch {
	case err == nil:
		return report.ExitSound
	case errors.As(err, &v):
		return int(v)
	case errors.As(err, &e):
		printError(stderr, err, e.hint)
		return e.code
	default:
		printError(stderr, err, "")
		return report.ExitInconclusive
	}
}

func printError(w io.Writer, err error, hint string) {
	fmt.Fprintf(w, "crosstalk: %v\n", err)
	if hint != "" {
		fmt.Fprintf(w, "crosstalk: hint: %s\n", hint)
	}
}

// noArgs and the like turn cobra's argument errors into usage errors.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Errorf("%s takes no argument, got %q", cmd.CommandPath(), args[0]), "")
	}
	return nil
}

func atMostOneArg(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError(fmt.Errorf("%s takes one file at most, got %d", cmd.CommandPath(), len(args)), "name one file, or pipe several into it")
	}
	return nil
}
