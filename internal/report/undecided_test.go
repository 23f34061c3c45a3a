package report_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/probes"
)

// TestUndecidedNamed: the JSON names each exchange that could not be told, with
// its reason, and the reasons add up to those counted; one that was not sent
// says why instead, and one that was decided gives none.
func TestUndecidedNamed(t *testing.T) {
	o := outcome("pulse", 10, uuid.Nil,
		exchange{"alpha", probes.RoleMain, 400, short, "", []checks.Finding{sound}},
		exchange{"bravo", probes.RoleMain, 400, short, "", nil},
		exchange{"alpha", probes.RoleMain, 400, short, "", nil},
		exchange{"bravo", probes.RoleMain, 400, short, "backoff", nil},
	)
	o.Report.Verdicts[1].Reason, o.Report.Verdicts[2].Reason = "refusal", "overload"
	var buf bytes.Buffer
	if err := summary(o).Write(&buf, "json"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Undecided map[string]int
		Rounds    []struct {
			Exchanges []struct {
				ID                     uuid.UUID
				Class, Reason, Skipped string
			}
		}
	}
	if err := json.Unmarshal(buf.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"refusal": 1, "overload": 1}, got.Undecided); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
	want := [][4]string{
		{id(11).String(), "sound", "", ""},
		{id(12).String(), "inconclusive", "refusal", ""},
		{id(13).String(), "inconclusive", "overload", ""},
		{id(14).String(), "inconclusive", "", "backoff"},
	}
	var rows [][4]string
	for _, x := range got.Rounds[0].Exchanges {
		rows = append(rows, [4]string{x.ID.String(), x.Class, x.Reason, x.Skipped})
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("exchanges (-want +got):\n%s", diff)
	}
}
