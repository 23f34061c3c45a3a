package openaichat

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/probes/provider"
	"crosstalk/probes/provider/providertest"
)

func newClient(t testing.TB, baseURL string, limits provider.Limits) *Client {
	t.Helper()
	c, err := New(Options{BaseURL: baseURL, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConformance(t *testing.T) {
	providertest.Run(t, func(t *testing.T, baseURL string, limits provider.Limits) provider.Client {
		return newClient(t, baseURL, limits)
	}, providertest.Wire{
		Answer:   fixture(t, "wire/openai-chat/response.json"),
		Stream:   fixture(t, "wire/openai-chat/stream.txt"),
		Fixtures: allFixtures(t),
		Prompt:   promptOf,
	})
}

// promptOf finds the prompt in a request body with encoding/json.
func promptOf(body []byte) (string, error) {
	var request struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return "", err
	}
	if len(request.Messages) != 1 || request.Messages[0].Role != "user" {
		return "", errors.New("not one message of the user")
	}
	return request.Messages[0].Content, nil
}

var update = flag.Bool("update", false, "write testdata/expected.txt anew; read the difference before you keep it")

// TestFixtureTable compares what is read of every fixture with a table that
// people can read.
func TestFixtureTable(t *testing.T) {
	client := newClient(t, "http://127.0.0.1", provider.Limits{})
	var table strings.Builder
	addRow(&table, "fixture", "verdict", "limit", "given", "retry", "finish", "usage", "content", "problems")
	for _, f := range allFixtures(t) {
		resp := client.Parse(f.Status, f.Header, bytes.NewReader(f.Body))
		addRow(&table, append([]string{f.Name}, row(resp)...)...)
	}
	got := table.String()
	const path = "testdata/expected.txt"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.Split(string(readFile(t, path)), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("fixtures are read otherwise than %s says (-want +got):\n%s", path, diff)
	}
}

// row describes a response in the columns of the table.
func row(r *provider.Response) []string {
	verdict, limit, given, retry := "ok", "-", "-", "-"
	if f := r.Failure; f != nil {
		verdict = string(f.Kind)
		if f.InStream {
			verdict += " in 200"
		}
		if f.Limit > 0 {
			limit = fmt.Sprint(f.Limit)
		}
		if f.Given > 0 {
			given = fmt.Sprint(f.Given)
		}
		if f.AtLeast {
			given = ">=" + given
		}
		if f.Prompt > 0 {
			given += fmt.Sprintf(" (%d)", f.Prompt)
		}
		if f.RetryAfter > 0 {
			retry = f.RetryAfter.String()
		}
	}
	finish := "-"
	if r.FinishReason != "" {
		finish = r.FinishReason
	}
	return []string{
		verdict, limit, given, retry, finish, usageText(r.Usage),
		fmt.Sprintf("%q", provider.Clip(r.Content, 20)), strings.Join(providertest.ProblemKinds(r), " "),
	}
}

func usageText(u *provider.Usage) string {
	if u == nil {
		return "-"
	}
	text := func(n *int) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprint(*n)
	}
	return text(u.Prompt) + "+" + text(u.Completion) + " cached " + text(u.Cached)
}

// addRow writes the cells in columns of fixed width, so that a new row does
// not move the others.
func addRow(table *strings.Builder, cells ...string) {
	widths := []int{58, 18, 8, 17, 6, 11, 20, 24, 0}
	var line strings.Builder
	for i, cell := range cells {
		fmt.Fprintf(&line, "%-*s ", widths[i], cell)
	}
	table.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
