package simulator

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestServerInfo holds what the three engines say of their two nodes.
func TestServerInfo(t *testing.T) {
	type said struct {
		Mode    string `json:"disaggregation_mode"`
		Version string `json:"version"`
		Pool    int    `json:"max_total_num_tokens"`
		Limit   int    `json:"max_req_input_len"`
		Window  *int   `json:"context_length"`
	}
	for preset, want := range map[string][2]said{
		PresetFaulty: {{"prefill", "0.5.11", 21290, 21284, nil}, {"decode", "0.5.11", 63750, 32762, nil}},
		PresetFixed:  {{"prefill", "0.5.22", 63750, 32762, nil}, {"decode", "0.5.22", 63750, 32762, nil}},
		PresetHonest: {{"prefill", "0.5.22", 21290, 21284, nil}, {"decode", "0.5.22", 63750, 32762, nil}},
	} {
		t.Run(preset, func(t *testing.T) {
			_, url := start(t, small(t, preset))
			var got [2]said
			for i, path := range []string{"/server_info", "/decode/server_info"} {
				resp, err := http.Get(url + path)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if err := json.NewDecoder(resp.Body).Decode(&got[i]); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("server information (-want +got):\n%s", diff)
			}
		})
	}
}
