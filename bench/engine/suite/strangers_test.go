//go:build e2e || long

package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"crosstalk/bench/engine"
)

// strangers are prompts of people who plant no markers. No four letters in a row
// stand in one of them twice, or the copy model, which continues by them, would
// go round in a circle; and none has a digit, which it would take for a code.
func strangers() []string {
	return []string{
		"Monday brought heavy rain, so nobody walked home along quiet farm paths while dusty lorries blocked every exit near Bristol",
		"Please remind Gregory, whose kitchen floods each spring, that plumbers charge double after hours unless booked by phone",
		"Our choir sings, weather permitting, outside old stone chapels where visitors often leave bread and honey for musicians",
		"Neighbours complained, hardly surprising, about barking dogs which kept small children awake until sunrise last Friday",
	}
}

// askAs sends one prompt by plain HTTP, as a client that is none of ours.
func (g target) askAs(ctx context.Context, prompt string) (string, error) {
	body, err := json.Marshal(map[string]any{
		"model": engine.Model, "temperature": 0, "max_tokens": 32,
		"messages": []map[string]string{{"role": "user", "content": prompt}},
	})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.BaseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %s: %s", resp.Status, text)
	}
	return string(text), err
}

// TestE2EForeign: every slot last held a stranger's prompt. What a prompt above
// the pool is answered with is then foreign, and no donor is named; on the same
// program without the fault the answer is right.
func TestE2EForeign(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault engine.Fault
		want  string
	}{
		{"patched, pool of 1331, strangers", engine.Fault{Pool: pool, UsageOne: true}, "contact/no_contact"},
		{"patched, no fault on, strangers", engine.Fault{}, "answer/exact"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := patched(t, c.fault)
			for _, text := range strangers() { // one after the other: each takes the slot used longest ago
				if _, err := g.askAs(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			q := question{args: "probe --share 0.9", because: c.want}
			o := g.ask(t, q)
			hold(t, c.name, q, o)
			for _, f := range o.Findings {
				if f.Donor != "" || f.Class == "leak" {
					t.Errorf("%s of class %s names %q: no stranger can be named", f.name(), f.Class, f.Donor)
				}
			}
		})
	}
}
