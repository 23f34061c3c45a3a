package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// read reads a line in the format of the recording, or in the one it has by its
// members.
func (i *inspector) read(line []byte) (*inspectIn, error) {
	if i.format == formatLines {
		text := string(line)
		return &inspectIn{ID: lineID(i.lines), Text: &text}, nil
	}
	var m members
	format := i.format
	if err := json.Unmarshal(line, &m); err != nil {
		format = formatNative // which says what is wrong
	} else if format == formatAuto {
		format = formatOf(m)
	}
	var in *inspectIn
	var err error
	switch format {
	case formatOpenAI:
		in, err = openAILine(m)
	case formatLiteLLM:
		in, err = liteLLMLine(m)
	default:
		return i.readNative(line)
	}
	if err != nil {
		return nil, err
	}
	if len(in.ID) == 0 {
		in.ID = lineID(i.lines)
	}
	if in.choices > 1 {
		i.first++
	}
	in.Expected, in.Task = textOf(m["expected"]), textOf(m["task"])
	return in, nil
}

// readNative reads a line of inspect's own form.
func (i *inspector) readNative(line []byte) (*inspectIn, error) {
	var in inspectIn
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, fmt.Errorf("not a JSON object of the form inspect reads: %w", memberError(err))
	}
	if err := i.validate(line, &in); err != nil {
		return nil, err
	}
	return &in, nil
}

// lineID names a line that has no id by its number.
func lineID(n int) json.RawMessage { return json.RawMessage(fmt.Sprint(n)) }

// isPlainText reports whether a recording does not begin as JSON does. It waits
// for no more than it needs: a recording may be written while it is read.
func isPlainText(r *bufio.Reader) bool {
	const look = 4096
	for n := 1; n <= look; n++ {
		head, err := r.Peek(n)
		if err != nil {
			return false // it shows again when it is read
		}
		switch b := head[n-1]; {
		case n <= len(byteOrderMark) && b == byteOrderMark[n-1]:
		case b == ' ', b == '\t', b == '\r', b == '\n':
		default:
			return b != '{' && b != '[' && b != '"'
		}
	}
	return false
}

// byteOrderMark is what some programs write at the start of a text in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// wholeText judges the whole input as one answer.
func (i *inspector) wholeText(r io.Reader) error {
	text, err := orInterrupted(i.env, func() ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxLine+1)) })
	switch {
	case errors.Is(err, errInterrupted):
		i.cut = true
		return nil
	case err != nil:
		return fmt.Errorf("read recording: %w", err)
	case len(text) > maxLine:
		return usageError(fmt.Errorf("a text of more than %d bytes", maxLine), "cut it into answers, one a line, and use --format lines")
	}
	i.lines = 1
	if len(bytes.TrimSpace(text)) == 0 {
		i.blank = 1
		return nil
	}
	name := i.name
	if name == "" || name == "-" {
		name = "text"
	}
	id, err := json.Marshal(name)
	if err != nil {
		return fmt.Errorf("name the text: %w", err)
	}
	content := strings.TrimSuffix(string(text), "\n")
	out, err := i.judge(&inspectIn{ID: id, Text: &content})
	if err != nil {
		return err
	}
	if err := i.out.Encode(out); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// expectedAnswer is a line of --expected.
type expectedAnswer struct {
	ID       json.RawMessage `json:"id"`
	Expected string          `json:"expected"`
	Task     string          `json:"task"`
}

// idText is an id as it is looked up: a number and its text are the same.
func idText(id json.RawMessage) string {
	if text := textOf(id); text != "" {
		return text
	}
	return string(id)
}

// readExpected reads the file of right answers, nil without one. It is ours, so
// that a mistake in it is an error and not a line passed over.
func readExpected(e *env, name string) (map[string]expectedAnswer, error) {
	if name == "" {
		return nil, nil
	}
	f, err := e.open(name)
	if err != nil {
		return nil, openError("right answers", err, `name a file of lines {"id", "expected"}`)
	}
	defer f.Close()
	answers := map[string]expectedAnswer{}
	lines := bufio.NewReaderSize(f, 1<<16)
	for n := 1; ; n++ {
		line, err := readLine(lines, maxLine)
		if errors.Is(err, io.EOF) {
			return answers, nil
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var a expectedAnswer
		if err == nil {
			err = json.Unmarshal(line, &a)
		}
		if err == nil && (len(a.ID) == 0 || a.Expected == "") {
			err = errors.New(`"id" or "expected" is missing`)
		}
		if _, twice := answers[idText(a.ID)]; err == nil && twice {
			err = fmt.Errorf("a second answer for id %s", a.ID)
		}
		if err != nil {
			return nil, usageError(fmt.Errorf("right answers %s, line %d: %w", name, n, err), `write one {"id", "expected", "task"?} a line`)
		}
		answers[idText(a.ID)] = a
	}
}

// addExpected adds the right answer of --expected to a line that has none.
func (i *inspector) addExpected(in *inspectIn) {
	a, ok := i.answers[idText(in.ID)]
	if !ok {
		return
	}
	i.used[idText(in.ID)] = true
	if in.Expected == "" {
		in.Expected = a.Expected
	}
	if in.Task == "" {
		in.Task = a.Task
	}
}
