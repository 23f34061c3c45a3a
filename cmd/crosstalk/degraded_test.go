package main

import (
	"testing"

	"crosstalk/internal/rates"
)

// TestDegradedCells: a fault that strikes every long prompt names the cell it is
// in, and with its mechanism switched off none is named.
func TestDegradedCells(t *testing.T) {
	row := faultRow{fault: "truncate-middle,cap=2048", off: rateZero}
	o := row.options(t, 1, 0)
	sum := newSimulated(t, o).validate(t, 3, "--only", "pulse=20")
	found := false
	for _, d := range sum.DegradedCells {
		found = found || d.Sign == rates.SignRate && d.Misses > 5 && d.P < 1e-3
	}
	if !found {
		t.Errorf("degraded cells: %+v, want one by its rate", sum.DegradedCells)
	}
	sum = newSimulated(t, row.off(o)).validate(t, 3, "--only", "pulse=20")
	if len(sum.DegradedCells) > 0 {
		t.Errorf("switched off: degraded cells %+v", sum.DegradedCells)
	}
}
