package checks

import (
	"testing"

	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/tenants"
)

// A locator names the prompt of its page; one of a shared prefix names every prompt
// that has the prefix, in the order of the look-back.
func TestNamedByLocator(t *testing.T) {
	key, err := tenants.ParseFleetKey("Y3Jvc3N0YWxrIHRlc3RzOiBub3QgYSBzZWNyZXQhISE=")
	if err != nil {
		t.Fatal(err)
	}
	codec := tenants.NewCodec(key)
	family := corpus.Families()[0]
	spec := corpus.Spec{
		Version: corpus.Version, Family: family.Name, Task: corpus.TaskSeals, Dress: corpus.DressWords, Seals: 2,
		Sentences: 8 * family.PageSentences, Prefix: &corpus.Prefix{Key: corpus.Key{1}, Sentences: 4 * family.PageSentences},
	}
	var refs []PromptRef
	var prompts []*corpus.Prompt
	for second := uint32(1); len(refs) < 2; second++ {
		p := tenants.Payload{Tenant: 7, Second: second}
		if prompt, err := codec.Prompt(p, spec); err == nil {
			refs, prompts = append(refs, PromptRef{Payload: p, Spec: spec}), append(prompts, prompt)
		}
	}
	f := &facts{in: &Input{Round: &probes.Round{}, Codec: codec, Lookback: refs}}
	d := f.donorList()
	for i, prompt := range prompts {
		shared, own := 0, 0
		for page := range prompt.Pages() {
			text, _ := prompt.Page(page)
			for _, l := range corpus.FindLocators(text) {
				named := d.named(l)
				switch {
				case len(named) == 2 && named[0].payload == refs[0].Payload && named[1].payload == refs[1].Payload:
					shared++
				case len(named) == 1 && named[0].payload == refs[i].Payload:
					own++
				default:
					t.Errorf("prompt %d, page %d: its locator names %d donors", i, page, len(named))
				}
			}
		}
		if shared != 4 || own != 4 {
			t.Errorf("prompt %d: %d locators of the shared prefix and %d of its own, want 4 and 4", i, shared, own)
		}
	}
}
