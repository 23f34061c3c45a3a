package ledger_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/uuid"

	"crosstalk/checks"
	"crosstalk/internal/ledger/ledgertest"
)

// childPath is the variable that makes TestKillChild the process to be killed.
const childPath = "CROSSTALK_LEDGER_CHILD"

// TestKillChild is the process that TestKill kills: it begins and saves rounds
// until it is dead, and says what it has done.
func TestKillChild(t *testing.T) {
	path := os.Getenv(childPath)
	if path == "" {
		return // it is the parent's
	}
	w := ledgertest.NewWorld(t)
	// A time of its own, so that no marker is one of another child's.
	w.Now = w.Now.Add(time.Duration(rand.IntN(20000)) * time.Hour)
	l := open(t, path, w.Options())
	for n := 0; ; n++ {
		trip := w.Trip(fmt.Sprintf("%d-%d", os.Getpid(), n), "pulse", checks.Leak, checks.Sound)
		w.Begin(l, trip)
		fmt.Printf("begun %s %s\n", trip.Bound[0].Exchange, trip.ID)
		w.Save(l, trip)
		fmt.Printf("saved %s %s\n", trip.Bound[0].Exchange, trip.ID)
	}
}

// TestKill: whenever a process is killed, every marker it could have sent is in
// the ledger, and so is the page of every round it had saved.
func TestKill(t *testing.T) {
	kills := 10
	if testing.Short() {
		kills = 2
	}
	path := file(t)
	begun, saved := map[string]string{}, map[string]string{} // exchange to round
	for range kills {
		killOne(t, path, begun, saved)
		w := ledgertest.NewWorld(t)
		w.Now = w.Now.AddDate(10, 0, 0)
		l := open(t, path, w.Options())
		if l.Repaired() != nil {
			t.Fatalf("repaired %v", l.Repaired())
		}
		for x := range begun {
			if _, err := l.Prompt(t.Context(), uuid.MustParse(x)); err != nil {
				t.Error(err)
			}
		}
		due, err := l.Due(t.Context(), w.Now, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if len(due) < len(saved) || len(due) > len(begun)+kills {
			t.Errorf("%d pages are due, want one for each of the %d rounds saved", len(due), len(saved))
		}
		keys := map[string]bool{}
		for _, d := range due {
			keys[d.Page.Incident.DedupKey] = true
		}
		if len(keys) != len(due) {
			t.Errorf("%d pages have %d keys", len(due), len(keys))
		}
		lost, err := l.Interrupted(t.Context(), w.Now)
		if err != nil || len(lost) > 1 {
			t.Errorf("%d rounds were interrupted, %v, want one at most", len(lost), err)
		}
		for _, r := range lost {
			if _, ok := saved[r.Exchanges[0].ID.String()]; ok {
				t.Errorf("round %s is lost although it was saved", r.ID)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(saved) < kills {
		t.Errorf("%d rounds were saved before %d kills", len(saved), kills)
	}
}

// killOne runs the child, kills it in the middle of something, and notes what it
// had done.
func killOne(t *testing.T, path string, begun, saved map[string]string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestKillChild$")
	child.Env = append(os.Environ(), childPath+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	// It is killed a moment after a line: the moment is what is random.
	after := 1 + rand.IntN(40)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var what, exchange, round string
		if n, _ := fmt.Sscan(lines.Text(), &what, &exchange, &round); n != 3 {
			continue
		}
		switch what {
		case "begun":
			begun[exchange] = round
		case "saved":
			saved[exchange] = round
		}
		if after--; after == 0 {
			time.AfterFunc(time.Duration(rand.IntN(8))*time.Millisecond, func() { _ = child.Process.Kill() })
		}
	}
	_ = child.Wait() // it was killed, and says so
}
