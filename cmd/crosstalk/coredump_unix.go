//go:build unix

package main

import (
	"log/slog"
	"syscall"
)

// noCoreDumps keeps answers and keys in memory from being written to disk by a
// crash.
func noCoreDumps(log *slog.Logger) {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		log.Warn("core dumps could not be switched off", "err", err)
	}
}
