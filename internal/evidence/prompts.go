package evidence

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/corpus"
	"crosstalk/tenants"
)

// Prompts are prompts of the look-back. In JSON each spec and key is written
// once, since a day of probing has tens of thousands of prompts and few specs.
type Prompts []checks.PromptRef

// packedPrompts is the form of Prompts in JSON. A row has the numbers
// of its spec and of its key.
type packedPrompts struct {
	Specs []corpus.Spec `json:"specs"`
	Keys  []string      `json:"keys"`
	Rows  []packedRow   `json:"rows"`
}

type packedRow struct {
	Exchange uuid.UUID `json:"x,omitzero"`
	Tenant   uint16    `json:"t"`
	Second   uint32    `json:"s"`
	Draw     uint16    `json:"d"`
	Spec     int       `json:"p"`
	Key      int       `json:"k,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (p Prompts) MarshalJSON() ([]byte, error) {
	var packed packedPrompts
	specs, keys := map[string]int{}, map[string]int{}
	for _, ref := range p {
		text, err := json.Marshal(ref.Spec)
		if err != nil {
			return nil, fmt.Errorf("spec of exchange %s: %w", ref.Exchange, err)
		}
		if _, ok := specs[string(text)]; !ok {
			specs[string(text)] = len(packed.Specs)
			packed.Specs = append(packed.Specs, ref.Spec)
		}
		if _, ok := keys[ref.Key]; !ok {
			keys[ref.Key] = len(packed.Keys)
			packed.Keys = append(packed.Keys, ref.Key)
		}
		packed.Rows = append(packed.Rows, packedRow{
			Exchange: ref.Exchange, Tenant: ref.Payload.Tenant, Second: ref.Payload.Second, Draw: ref.Payload.Draw,
			Spec: specs[string(text)], Key: keys[ref.Key],
		})
	}
	return json.Marshal(packed)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Prompts) UnmarshalJSON(text []byte) error {
	var packed packedPrompts
	if err := json.Unmarshal(text, &packed); err != nil {
		return fmt.Errorf("look-back: %w", err)
	}
	*p = nil
	for i, row := range packed.Rows {
		if row.Spec < 0 || row.Spec >= len(packed.Specs) || row.Key < 0 || row.Key >= len(packed.Keys) {
			return fmt.Errorf("look-back: row %d names a spec or key that is not there", i)
		}
		*p = append(*p, checks.PromptRef{
			Exchange: row.Exchange, Spec: packed.Specs[row.Spec], Key: packed.Keys[row.Key],
			Payload: tenants.Payload{Tenant: row.Tenant, Second: row.Second, Draw: row.Draw},
		})
	}
	return nil
}

// promptsOf are the prompts of the look-back, each with the id of its fleet key,
// and how many did not fit. Those of the round itself are left out: the record
// has them.
func promptsOf(in checks.Input, key string) (list Prompts, left int) {
	own := map[tenants.Payload]bool{}
	for _, x := range in.Round.Exchanges {
		own[x.Payload.Request()] = true
	}
	for _, ref := range in.Lookback {
		ref.Payload = ref.Payload.Request()
		switch {
		case own[ref.Payload]:
			continue
		case len(list) == MaxLookback:
			left++
			continue
		case ref.Key == "":
			ref.Key = key
		}
		list = append(list, ref)
	}
	return list, left
}
