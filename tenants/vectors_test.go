package tenants_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/corpus"
	"crosstalk/tenants"
)

// vectorPayload is a payload as testdata/vectors.json writes it.
type vectorPayload struct {
	Tenant uint16 `json:"tenant"`
	Second uint32 `json:"second"`
	Draw   uint16 `json:"draw"`
	Index  uint8  `json:"index"`
}

// vectors fix the bytes of the codec. They were computed from the description
// in doc.go by a program that shares no code with this package. An empty marker
// is one that is not usable.
type vectors struct {
	FleetKey string `json:"fleet_key"`
	Markers  []struct {
		vectorPayload
		Words     string `json:"words"`
		Code      string `json:"code"`
		PromptKey string `json:"prompt_key"`
	} `json:"markers"`
	Texts []struct {
		Name string      `json:"name"`
		Text string      `json:"text"`
		Hits []vectorHit `json:"hits"`
	} `json:"texts"`
}

type vectorHit struct {
	vectorPayload
	Dress  corpus.Dress `json:"dress"`
	Edit   tenants.Edit `json:"edit"`
	Covers string       `json:"covers"`
}

func readVectors(t *testing.T) (vectors, *tenants.Codec) {
	t.Helper()
	file, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	var v vectors
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	key, err := tenants.ParseFleetKey(v.FleetKey)
	if err != nil {
		t.Fatal(err)
	}
	return v, tenants.NewCodec(key)
}

func TestVectorMarkers(t *testing.T) {
	v, c := readVectors(t)
	for _, m := range v.Markers {
		p := tenants.Payload(m.vectorPayload)
		for dress, want := range map[corpus.Dress]string{corpus.DressWords: m.Words, corpus.DressCode: m.Code} {
			got, ok := c.Mint(p, dress)
			if got != want && ok || ok != (want != "") {
				t.Errorf("Mint(%+v, %s) = %q, %v, want %q", p, dress, got, ok, want)
			}
			if !ok {
				continue
			}
			if hits := c.Find(want); len(hits) != 1 || hits[0].Payload != p {
				t.Errorf("Find(%q) = %+v, want %+v", want, hits, p)
			}
		}
		if key := c.PromptKey(p); hex.EncodeToString(key[:]) != m.PromptKey {
			t.Errorf("PromptKey(%+v) = %x, want %s", p, key[:], m.PromptKey)
		}
	}
}

func TestVectorTexts(t *testing.T) {
	v, c := readVectors(t)
	for _, tt := range v.Texts {
		t.Run(tt.Name, func(t *testing.T) {
			got := []vectorHit{}
			for _, h := range c.Find(tt.Text) {
				got = append(got, vectorHit{vectorPayload(h.Payload), h.Dress, h.Edit, tt.Text[h.Start:h.End]})
			}
			if diff := cmp.Diff(tt.Hits, got, cmp.AllowUnexported(vectorHit{})); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", tt.Text, diff)
			}
		})
	}
}
