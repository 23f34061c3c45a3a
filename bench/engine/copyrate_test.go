//go:build e2e || long

package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"crosstalk/corpus"
	"crosstalk/tenants"
)

// arm is one way of writing prompts.
type arm struct {
	name string
	spec corpus.Spec
}

// arms are filler of each family that the model can read past, with and without
// locators, about one and a half thousand tokens of this model, whose token is a
// byte. Other families have digits or capitals in their filler, which look to it
// like a code.
func arms() []arm {
	var out []arm
	for _, f := range corpus.Families() {
		if f.Name != "code" && f.Name != "prose" {
			continue
		}
		for _, without := range []bool{false, true} {
			name := f.Name + "/locators"
			if without {
				name = f.Name + "/no-locators"
			}
			spec := corpus.Spec{
				Version: corpus.Version, Family: f.Name, Task: corpus.TaskEcho, Dress: corpus.DressCode,
				Seals: 1, NoLocators: without,
			}
			spec.Sentences = corpus.Sentences(spec, 1500)
			out = append(out, arm{name, spec})
		}
	}
	return out
}

// copied counts of n prompts those whose code came back exactly, and returns
// some of the answers that were wrong.
func copied(ctx context.Context, t *testing.T, s *Server, spec corpus.Spec, n int) (exact int, wrong []string) {
	t.Helper()
	key, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	m := tenants.NewMinter(tenants.NewCodec(key), time.Now, nil)
	for range n {
		_, prompt, err := m.Mint(1, spec)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := ask(ctx, s, prompt)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(answer) == prompt.Expected() {
			exact++
			continue
		}
		wrong = append(wrong, fmt.Sprintf("want %q, got %.80q", prompt.Expected(), answer))
	}
	return exact, wrong
}

// ask sends a prompt by plain HTTP: what is measured is the engine and the
// prompt, without crosstalk's own client.
func ask(ctx context.Context, s *Server, p *corpus.Prompt) (string, error) {
	text, err := io.ReadAll(p.Reader())
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]any{
		"model": Model, "temperature": 0, "max_tokens": 64,
		"messages": []map[string]string{{"role": "user", "content": string(text)}},
	})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var out struct {
		Choices []struct{ Message struct{ Content string } }
		Error   json.RawMessage
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		return "", err
	}
	if len(out.Choices) != 1 {
		return "", fmt.Errorf("status %s: %s", resp.Status, out.Error)
	}
	return out.Choices[0].Message.Content, nil
}

// engineFor starts an engine for a test.
func engineFor(t *testing.T, flags ...string) *Server {
	t.Helper()
	dir, err := DefaultDir()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := Start(t.Context(), dir, &log, flags...)
	if err != nil {
		t.Fatalf("%v\n%s", err, log.Bytes())
	}
	t.Cleanup(s.Stop)
	return s
}
