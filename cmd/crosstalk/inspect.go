package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"crosstalk/checks"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// maxLine bounds one line of a recording.
const maxLine = 64 << 20

func newInspect(e *env) *cobra.Command {
	var key keyFlags
	var format, expected string
	cmd := &cobra.Command{
		Use:   "inspect [FILE]",
		Short: "judge recorded answers",
		Long: `inspect reads recorded answers (from FILE or standard input), one JSON object a
line, and writes one line for each, in order. It tells the format of each line
by its members; --format says it for all:

  crosstalk  the lines described below
  openai     request and response of OpenAI's API as gateways log them, its batch
             output, its bodies alone, and conversations ({"messages": [...]})
  litellm    rows of LiteLLM's spend log and of its logging payload
  text       the whole input is one answer
  lines      each line is one answer
  auto       by the members; text if the input does not begin with JSON

  in   {"id", "text" or "response", "reasoning"?, "expected"?, "prompt"?,
        "usage"?, "finish_reason"?, "max_tokens"?, "api"?, "task"?}
  out  {"id", "verdict", "findings": [...]}

"text" is the answer's content; "response" is the provider's raw body, an object
or a string (a recorded event stream, say). "expected" is the one right answer.
Without it an answer can be called damaged or leak, never sound; foreign needs
"expected", or "prompt" and "task". Markers of other requests are recognised
with the fleet key only.

A line that cannot be read becomes {"line", "error"} and the run goes on. The
right answers of a log that has none come from --expected FILE, lines of {"id",
"expected", "task"?}. docs/inspect.md has the formats in full.

Exit codes: 4 any leak or foreign, else 1 any damaged, else 3 any bad line,
inconclusive, nothing judged or interrupted, else 0; 2 usage.`,
		Example: `  crosstalk inspect answers.jsonl
  crosstalk inspect --format litellm spend_logs.jsonl --expected answers.jsonl
  crosstalk inspect --fleet-key file:./fleet.key < answers.jsonl | jq 'select(.verdict != "sound")'`,
		Args: atMostOneArg,
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(inspectFormats, format) {
				return usageError(fmt.Errorf("unknown format %q", format), "use one of "+strings.Join(inspectFormats, ", "))
			}
			codec, err := key.optional(e)
			if err != nil {
				return err
			}
			answers, err := readExpected(e, expected)
			if err != nil {
				return err
			}
			in, err := e.open(argument(args))
			if err != nil {
				return openError("recording", err, "name a file of JSON lines, or - for standard input")
			}
			defer in.Close()
			i := &inspector{
				env: e, codec: codec, out: json.NewEncoder(e.stdout), format: format, name: argument(args), answers: answers,
				unknown: map[string]bool{}, used: map[string]bool{},
			}
			i.out.SetEscapeHTML(false)
			if err := i.run(in); err != nil {
				return err
			}
			i.notes(e.stderr)
			return withVerdict(i.exitCode())
		},
	}
	key.add(cmd)
	cmd.Flags().StringVar(&format, "format", formatAuto, "format of the recording: "+strings.Join(inspectFormats, ", "))
	cmd.Flags().StringVar(&expected, "expected", "", `file of right answers, lines of {"id", "expected", "task"?}`)
	return cmd
}

// inspector judges a recording line by line.
type inspector struct {
	env     *env
	codec   *tenants.Codec
	out     *json.Encoder
	format  string
	name    string                    // of the recording, the id of a text
	answers map[string]expectedAnswer // by id
	used    map[string]bool           // ids of answers that a line had
	first   int                       // lines of which only the first of several choices was judged
	lines   int
	blank   int
	bad     int
	cut     bool // interrupted before the end
	classes map[checks.Class]int
	unknown map[string]bool // names of members that mean nothing to us
}

// inspectOut is a line of the result.
type inspectOut struct {
	ID       json.RawMessage  `json:"id"`
	Verdict  checks.Class     `json:"verdict"`
	Findings []inspectFinding `json:"findings"`
}

type inspectFinding struct {
	Check   string         `json:"check"`
	Kind    string         `json:"kind"`
	Class   checks.Class   `json:"class"`
	Channel checks.Channel `json:"channel"`
	Offset  int            `json:"offset"`
	Length  int            `json:"length"`
	PChance *float64       `json:"p_chance"` // null where nothing of the kind is known
	Detail  string         `json:"detail"`
}

// inspectBad is the result for a line that cannot be read.
type inspectBad struct {
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// run judges every line; it fails only when it cannot read or write.
func (i *inspector) run(r io.Reader) error {
	i.classes = map[checks.Class]int{}
	lines := bufio.NewReaderSize(r, 1<<20)
	if i.format == formatAuto {
		plain, err := orInterrupted(i.env, func() (bool, error) { return isPlainText(lines), nil })
		if err != nil {
			i.cut = true
			return nil
		}
		if plain {
			i.format = formatText
		}
	}
	if i.format == formatText {
		return i.wholeText(lines)
	}
	for {
		line, err := orInterrupted(i.env, func() ([]byte, error) { return readLine(lines, maxLine) })
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, errInterrupted) {
			i.cut = true
			return nil
		}
		i.lines++
		if err != nil && !errors.Is(err, errLineTooLong) {
			return fmt.Errorf("read recording, line %d: %w", i.lines, err)
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			i.blank++
			continue
		}
		var result any
		if err == nil {
			result, err = i.line(line)
		}
		if err != nil {
			i.bad++
			result = inspectBad{Line: i.lines, Error: err.Error()}
		}
		if err := i.out.Encode(result); err != nil {
			return fmt.Errorf("write result of line %d: %w", i.lines, err)
		}
	}
}

// line judges one line.
func (i *inspector) line(line []byte) (*inspectOut, error) {
	in, err := i.read(line)
	if err != nil {
		return nil, err
	}
	return i.judge(in)
}

// judge judges a recorded answer.
func (i *inspector) judge(in *inspectIn) (*inspectOut, error) {
	i.addExpected(in)
	x, err := in.exchange()
	if err != nil {
		return nil, err
	}
	round := &probes.Round{ID: uuid.New(), Exchanges: []*probes.Exchange{x}}
	judged := checks.Run(checks.Input{Round: round, Codec: i.codec}, checks.All())
	out := &inspectOut{ID: in.ID, Verdict: judged.Verdict(x.ID), Findings: []inspectFinding{}}
	for _, f := range judged.Findings {
		if f.Class == checks.Sound {
			continue
		}
		out.Findings = append(out.Findings, shownFinding(f))
	}
	i.classes[out.Verdict]++
	return out, nil
}

func (i *inspector) exitCode() int {
	switch {
	case i.classes[checks.Leak]+i.classes[checks.Foreign] > 0:
		return report.ExitLeak
	case i.classes[checks.Damaged] > 0:
		return report.ExitDamaged
	case i.bad > 0 || i.classes[checks.Inconclusive] > 0 || i.cut || i.lines == i.blank:
		return report.ExitInconclusive
	}
	return report.ExitSound
}

// notes says on stderr what the lines alone do not.
func (i *inspector) notes(w io.Writer) {
	if i.codec == nil {
		fmt.Fprintln(w, "crosstalk: note: no fleet key, so leaks were not judged; --fleet-key file:PATH judges them")
	}
	if len(i.unknown) > 0 {
		fmt.Fprintf(w, "crosstalk: note: members that inspect does not read were passed over: %s\n", strings.Join(sortedKeys(i.unknown), ", "))
	}
	if i.first > 0 {
		fmt.Fprintf(w, "crosstalk: note: %s had several choices, of which the first was judged\n", report.Plural(i.first, "line"))
	}
	if n := len(i.answers) - len(i.used); n > 0 {
		fmt.Fprintf(w, "crosstalk: note: %s of --expected had no line of that id\n", report.Plural(n, "right answer"))
	}
	switch {
	case i.cut:
		fmt.Fprintf(w, "crosstalk: note: interrupted after %s; what came later was not judged\n", report.Plural(i.lines, "line"))
	case i.lines == i.blank:
		fmt.Fprintln(w, "crosstalk: note: the recording is empty, nothing was judged")
	}
	if i.bad > 0 {
		fmt.Fprintf(w, "crosstalk: note: %d of %s could not be read\n", i.bad, report.Plural(i.lines, "line"))
	}
}

var errLineTooLong = errors.New("line too long")

// readLine reads a line without its end. A line over the limit is read to its
// end and reported, so that the next one starts where it should.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			tooLong = true
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil, errors.Is(err, io.EOF) && (len(line) > 0 || tooLong):
			if tooLong {
				return nil, fmt.Errorf("%w: over %d bytes", errLineTooLong, limit)
			}
			return bytes.TrimSuffix(line, []byte("\n")), nil
		default:
			return nil, err
		}
	}
}
