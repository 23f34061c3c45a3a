package checks_test

import (
	"strings"
	"testing"

	"crosstalk/checks"
	"crosstalk/probes"
	"crosstalk/probes/provider"
	"crosstalk/tenants"
)

// TestOlderKey: a request that was sent before the fleet key was changed is
// still named and placed when its content comes back after the change, by its
// marker, by a piece of one and by a passage of its filler. Once the older key
// is retired nothing of it is recognised, and nothing is made up.
func TestOlderKey(t *testing.T) {
	t.Parallel()
	newKey, oldKey := tenants.FleetKey{}, tenants.FleetKey{}
	for key, text := range map[*tenants.FleetKey]string{
		&newKey: "bmV3LW5ldy1uZXctbmV3LW5ldy1uZXctbmV3LW5ldy0=", &oldKey: "b2xkLW9sZC1vbGQtb2xkLW9sZC1vbGQtb2xkLW9sZC0=",
	} {
		var err error
		if *key, err = tenants.ParseFleetKey(text); err != nil {
			t.Fatal(err)
		}
	}
	spec := askedPrompts(t)[0].spec
	older, rotated, retired := tenants.NewCodec(oldKey), tenants.NewCodec(newKey, oldKey), tenants.NewCodec(newKey)
	payload, prompt, err := mintFixed(older, 9, 700, spec)
	if err != nil {
		t.Fatal(err)
	}
	document := readPrompt(t, prompt)
	third := prompt.Markers()[2]
	for name, tt := range map[string]struct {
		leaked, check string
		offset        int64 // in the donor's prompt; -1: that of the passage
	}{
		"marker":   {third.Text, "foreignmarker", third.Offset},
		"fragment": {strings.Join(strings.Fields(third.Text)[:11], " "), "foreignfragment", third.Offset},
		"passage":  {document[1000:2200], "foreignfragment", -1},
	} {
		run := func(c *tenants.Codec) (*checks.Finding, checks.Class, string) {
			own, asked, err := mintFixed(c, 3, 1000, spec)
			if err != nil {
				t.Fatal(err)
			}
			x := &probes.Exchange{
				ID: vectorID(1), Tenant: 3, Payload: own, Prompt: asked, Intent: probes.Intent{Spec: spec},
				Response: &provider.Response{Status: 200, Content: asked.Expected(), Reasoning: "so " + tt.leaked + " it is", FinishReason: "stop"},
			}
			r := checks.Run(checks.Input{
				Round: &probes.Round{Exchanges: []*probes.Exchange{x}}, Codec: c,
				Lookback: []checks.PromptRef{{Exchange: vectorID(9), Payload: payload, Spec: spec, Key: oldKey.ID()}},
			}, contentChecks())
			return findingOf(r, tt.check), r.Verdict(x.ID), x.Response.Reasoning
		}
		f, class, text := run(rotated)
		if f == nil || class != checks.Leak || f.Origin == nil || f.Origin.Payload.Request() != payload || f.Origin.Exchange != vectorID(9) {
			t.Errorf("%s: verdict %s, finding %+v", name, class, f)
			continue
		}
		at := f.Origin.PromptOffset
		if tt.offset >= 0 && at != tt.offset || tt.offset < 0 && (at < 0 || !strings.HasPrefix(document[at:], text[f.Offset:f.Offset+12])) {
			t.Errorf("%s: placed at %d of the donor's prompt", name, at)
		}
		if f, class, _ := run(retired); f != nil && f.Class == checks.Leak || class == checks.Leak {
			t.Errorf("%s, key retired: verdict %s, finding %+v", name, class, f)
		}
	}
}
