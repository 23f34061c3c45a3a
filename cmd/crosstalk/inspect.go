package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/internal/report"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// maxLine bounds one line of a recording.
const maxLine = 64 << 20

func newInspect(e *env) *cobra.Command {
	var key keyFlags
	cmd := &cobra.Command{
		Use:   "inspect [FILE]",
		Short: "judge recorded answers",
		Long: `inspect reads one JSON object a line (from FILE or standard input) and writes one
line for each, in order:

  in   {"id", "text" or "response", "reasoning"?, "expected"?, "prompt"?,
        "usage"?, "finish_reason"?, "max_tokens"?, "api"?, "task"?}
  out  {"id", "verdict", "findings": [...]}

"text" is the answer's content; "response" is the provider's raw body, an object
or a string (a recorded event stream, say). "expected" is the one right answer.
Without it an answer can be called damaged or leak, never sound; foreign needs
"expected", or "prompt" and "task". Markers of other requests are recognised
with the fleet key only.

A line that cannot be read becomes {"line", "error"} and the run goes on.

Exit codes: 4 any leak or foreign, else 1 any damaged, else 3 any bad line,
inconclusive, nothing judged or interrupted, else 0; 2 usage.`,
		Example: `  crosstalk inspect answers.jsonl
  crosstalk inspect --fleet-key file:./fleet.key < answers.jsonl | jq 'select(.verdict != "sound")'`,
		Args: atMostOneArg,
		RunE: func(_ *cobra.Command, args []string) error {
			codec, err := key.optional(e)
			if err != nil {
				return err
			}
			in, err := e.open(argument(args))
			if err != nil {
				return openError("recording", err, "name a file of JSON lines, or - for standard input")
			}
			defer in.Close()
			i := &inspector{env: e, codec: codec, out: json.NewEncoder(e.stdout), unknown: map[string]bool{}}
			i.out.SetEscapeHTML(false)
			if err := i.run(in); err != nil {
				return err
			}
			i.notes(e.stderr)
			return withVerdict(i.exitCode())
		},
	}
	key.add(cmd)
	return cmd
}

// inspector judges a recording line by line.
type inspector struct {
	env     *env
	codec   *tenants.Codec
	out     *json.Encoder
	lines   int
	blank   int
	bad     int
	cut     bool // interrupted before the end
	classes map[checks.Class]int
	unknown map[string]bool // names of members that mean nothing to us
}

// inspectIn is a line of a recording.
type inspectIn struct {
	ID           json.RawMessage `json:"id"`
	Text         *string         `json:"text"`
	Response     json.RawMessage `json:"response"`
	Reasoning    string          `json:"reasoning"`
	Expected     string          `json:"expected"`
	Prompt       string          `json:"prompt"`
	Usage        *inspectUsage   `json:"usage"`
	FinishReason *string         `json:"finish_reason"`
	MaxTokens    int             `json:"max_tokens"`
	API          string          `json:"api"`
	Task         string          `json:"task"`
}

// inspectUsage is usage in the shape of the OpenAI API.
type inspectUsage struct {
	provider.Usage
	PromptDetails struct {
		Cached *int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning *int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
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
	var in inspectIn
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, fmt.Errorf("not a JSON object of the form inspect reads: %w", memberError(err))
	}
	if err := i.validate(line, &in); err != nil {
		return nil, err
	}
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
		var chance *float64
		if f.PChance > 0 {
			chance = &f.PChance
		}
		out.Findings = append(out.Findings, inspectFinding{
			Check: f.Check, Kind: f.Kind, Class: f.Class, Channel: f.Channel,
			Offset: f.Offset, Length: f.Length, PChance: chance, Detail: f.Detail,
		})
	}
	i.classes[out.Verdict]++
	return out, nil
}

// memberError names what is wrong with a line by its members, not by the types
// of this program.
func memberError(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Field == "":
		return fmt.Errorf("it is a JSON %s: write an object with \"id\" and \"text\" or \"response\"", wrong.Value)
	}
	return fmt.Errorf("%q is a JSON %s and must be %s", wrong.Field, wrong.Value, jsonKind(wrong.Type))
}

// jsonKind is what JSON calls a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

// validate refuses what cannot be judged and remembers what was not understood.
func (i *inspector) validate(line []byte, in *inspectIn) error {
	switch {
	case len(in.ID) == 0 || string(in.ID) == "null":
		return errors.New(`no "id": give each line one, a string or a number`)
	case in.Text == nil && len(in.Response) == 0:
		return errors.New(`neither "text" nor "response": give the answer's content or the provider's raw body`)
	case in.Text != nil && len(in.Response) > 0:
		return errors.New(`both "text" and "response": give one of them`)
	case in.API != "" && !slices.Contains(knownAPIs(), in.API):
		return fmt.Errorf("unknown api %q: use one of %s", in.API, strings.Join(knownAPIs(), ", "))
	case in.MaxTokens < 0:
		return fmt.Errorf("max_tokens is %d: give a positive number or leave it out", in.MaxTokens)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return fmt.Errorf("read members: %w", err)
	}
	for name := range members {
		if !slices.Contains(inspectMembers, name) {
			i.unknown[name] = true
		}
	}
	return nil
}

var inspectMembers = []string{
	"id", "text", "response", "reasoning", "expected", "prompt", "usage", "finish_reason", "max_tokens", "api", "task",
}

// exchange is the line as the checks see an exchange.
func (in *inspectIn) exchange() (*probes.Exchange, error) {
	resp, err := in.response()
	if err != nil {
		return nil, err
	}
	return &probes.Exchange{
		ID:       uuid.New(),
		Intent:   probes.Intent{Role: probes.RoleMain, MaxTokens: in.MaxTokens, Expect: probes.ExpectAnswer},
		Prompt:   corpus.Text{Prompt: in.Prompt, Answer: in.Expected, Kind: corpus.Task(in.Task)},
		Response: resp,
	}, nil
}

// response is the recorded answer. A line with the text alone says nothing of
// the protocol around it: it is taken to have ended as it should unless it says
// otherwise.
func (in *inspectIn) response() (*provider.Response, error) {
	resp := &provider.Response{Status: http.StatusOK, FinishReason: "stop"}
	if in.Text != nil {
		resp.Content = *in.Text
	} else {
		body := []byte(in.Response)
		var text string
		if json.Unmarshal(in.Response, &text) == nil {
			body = []byte(text)
		}
		var err error
		if resp, err = parseRecorded(in.API, body); err != nil {
			return nil, fmt.Errorf("read response: %w", err)
		}
	}
	if in.Reasoning != "" {
		resp.Reasoning = in.Reasoning
	}
	if in.FinishReason != nil {
		resp.FinishReason = *in.FinishReason
	}
	if in.Usage != nil {
		u := in.Usage.Usage
		if u.Cached == nil {
			u.Cached = in.Usage.PromptDetails.Cached
		}
		if u.Reasoning == nil {
			u.Reasoning = in.Usage.CompletionDetails.Reasoning
		}
		resp.Usage = &u
	}
	return resp, nil
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
