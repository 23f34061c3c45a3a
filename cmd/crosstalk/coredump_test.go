//go:build unix

package main

import (
	"syscall"
	"testing"
)

// TestNoCoreDumps: a crash leaves nothing of memory on the disk, where answers
// and keys would stand in the clear.
func TestNoCoreDumps(t *testing.T) {
	noCoreDumps(discardLog())
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit); err != nil {
		t.Fatal(err)
	}
	if limit.Cur != 0 || limit.Max != 0 {
		t.Errorf("the limit on core dumps is %+v, want none", limit)
	}
}
