package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"crosstalk/bench/detect"
	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/probes"
)

func newBench(e *env) *cobra.Command {
	return group("bench", "measure crosstalk itself", newBenchDetect(e))
}

// benchDetect holds the flags of bench detect.
type benchDetect struct {
	env    *env
	key    keyFlags
	n      int
	seed   uint64
	format string
	docs   string
	misses bool
}

func newBenchDetect(e *env) *cobra.Command {
	b := &benchDetect{env: e}
	cmd := &cobra.Command{
		Use:   "detect [FILE]",
		Short: "measure the detector on labelled cases",
		Long: `detect judges labelled answers and prints, for each way they were made, how many
were judged right, with its 95 % interval, what they were called, and which
verdicts were taken for which. Without FILE the cases are those that ship with
crosstalk: sound answers, transformed as public reports of corruption tell, and
lawful texts that are easily mistaken for damage. The same --seed gives the same
table.

FILE holds your own cases, one JSON object a line: the members of a line that
inspect reads ("text" or "response", "expected"?, "prompt"? ...) and the label:

  "class"  group to count the case in          "row"    name within it (optional)
  "want"   verdicts that are right, a list     "kinds"  findings one of which must
  "bar"    least share of the row, 0 to 1               be there, "check/kind"

Exit codes: 0 every bar is reached and no verdict is a false leak or a false
disclosure, 1 not so, 3 a line could not be read or it was interrupted, 2 usage.`,
		Example: `  crosstalk bench detect
  crosstalk bench detect -n 1000 --format json
  crosstalk bench detect --docs docs/detection.md     write the table there
  crosstalk bench detect mine.jsonl --misses`,
		Args: atMostOneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return b.run(cmd.Context(), argument(args), len(args) > 0)
		},
	}
	b.key.add(cmd)
	cmd.Flags().IntVarP(&b.n, "cases", "n", 100, "cases of each row of the shipped corpus")
	cmd.Flags().Uint64Var(&b.seed, "seed", 1, "seed of the shipped corpus")
	cmd.Flags().StringVar(&b.format, "format", "text", "text, markdown or json")
	cmd.Flags().StringVar(&b.docs, "docs", "", "also replace the table between the marks of this Markdown file")
	cmd.Flags().BoolVar(&b.misses, "misses", false, "name every case that was not judged right, on stderr")
	return cmd
}

func (b *benchDetect) run(ctx context.Context, file string, given bool) error {
	if !slices.Contains([]string{"text", "markdown", "json"}, b.format) {
		return usageError(fmt.Errorf("unknown format %q", b.format), "use text, markdown or json")
	}
	if b.n < 1 || b.n > 100_000 {
		return usageError(fmt.Errorf("%d cases of each row", b.n), "give 1 to 100000")
	}
	cases, bad, err := b.cases(file, given)
	if err != nil {
		return err
	}
	res := detect.Run(until(ctx, cases), b.miss)
	if ctx.Err() != nil {
		fmt.Fprintf(b.env.stderr, "crosstalk: note: interrupted after %s; no table is written\n", report.Plural(res.Cases, "case"))
		return withVerdict(report.ExitInconclusive)
	}
	if err := b.write(res); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	switch {
	case bad != nil && *bad > 0:
		fmt.Fprintf(b.env.stderr, "crosstalk: note: %s could not be read\n", report.Plural(*bad, "line"))
		return withVerdict(report.ExitInconclusive)
	case res.Cases == 0:
		return usageError(errors.New("there is no case"), "see 'crosstalk bench detect --help' for the form of a line")
	case !res.Passed():
		return withVerdict(report.ExitDamaged)
	}
	return nil
}

// until are the cases that come before ctx ends.
func until(ctx context.Context, cases iter.Seq[detect.Case]) iter.Seq[detect.Case] {
	return func(yield func(detect.Case) bool) {
		for c := range cases {
			if ctx.Err() != nil || !yield(c) {
				return
			}
		}
	}
}

// cases are those of a file, or the shipped ones. bad counts the lines that could
// not be read.
func (b *benchDetect) cases(file string, given bool) (iter.Seq[detect.Case], *int, error) {
	if !given {
		cases, err := detect.Corpus(b.n, b.seed)
		return cases, nil, err
	}
	codec, err := b.key.optional(b.env)
	if err != nil {
		return nil, nil, err
	}
	in, err := b.env.open(file)
	if err != nil {
		return nil, nil, openError("cases", err, "name a file of JSON lines, or - for standard input")
	}
	i := &inspector{env: b.env, codec: codec, format: formatAuto, name: file, unknown: map[string]bool{}, used: map[string]bool{}}
	bad := new(int)
	return func(yield func(detect.Case) bool) {
		defer in.Close()
		lines := bufio.NewReaderSize(in, 1<<20)
		for n := 1; ; n++ {
			line, err := readLine(lines, maxLine)
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil && len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			var c detect.Case
			if err == nil {
				c, err = i.labelled(line)
			}
			if err != nil {
				*bad++
				fmt.Fprintf(b.env.stderr, "crosstalk: line %d: %v\n", n, err)
				if !errors.Is(err, errLineTooLong) && !errors.As(err, new(*labelError)) {
					return // it cannot be read on
				}
				continue
			}
			if !yield(c) {
				return
			}
		}
	}, bad, nil
}

// labelError is a line that is no labelled case.
type labelError struct{ err error }

func (e *labelError) Error() string { return e.err.Error() }
func (e *labelError) Unwrap() error { return e.err }

// labelled reads a line of a file of cases.
func (i *inspector) labelled(line []byte) (detect.Case, error) {
	i.lines++
	label, err := detect.ParseLabel(line)
	if err != nil {
		return detect.Case{}, &labelError{err}
	}
	in, err := i.read(line)
	if err != nil {
		return detect.Case{}, &labelError{err}
	}
	x, err := in.exchange()
	if err != nil {
		return detect.Case{}, &labelError{err}
	}
	round := &probes.Round{ID: uuid.New(), Exchanges: []*probes.Exchange{x}}
	return label.Case(checks.Input{Round: round, Codec: i.codec}), nil
}

func (b *benchDetect) miss(o detect.Outcome) {
	if b.misses && !o.Right {
		fmt.Fprintf(b.env.stderr, "%s: want %v, %s\n", o.Case.ID, o.Case.Want, o.Why)
		for _, f := range o.Report.Findings {
			fmt.Fprintf(b.env.stderr, "  %s/%s %s: %s\n", f.Check, f.Kind, f.Class, f.Detail)
		}
	}
}

func (b *benchDetect) write(res detect.Result) error {
	if b.docs != "" {
		if err := replaceTable(b.docs, res); err != nil {
			return err
		}
	}
	switch b.format {
	case "markdown":
		return res.Markdown(b.env.stdout)
	case "json":
		enc := json.NewEncoder(b.env.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(res)
	default:
		return res.Text(b.env.stdout)
	}
}

// Marks in a document between which the table stands.
const (
	tableBegin = "<!-- bench detect: begin -->"
	tableEnd   = "<!-- bench detect: end -->"
)

// replaceTable writes the table into a document.
func replaceTable(name string, res detect.Result) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(data), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		return fmt.Errorf("%s has no lines %q and %q to put the table between", name, tableBegin, tableEnd)
	}
	var table strings.Builder
	if err := res.Markdown(&table); err != nil {
		return err
	}
	text := before + tableBegin + "\n\n" + table.String() + "\n" + tableEnd + after
	return os.WriteFile(name, []byte(text), 0o644)
}
