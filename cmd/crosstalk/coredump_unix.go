//go:build unix

package main

import (
	"log/slog"
	"os/signal"
	"syscall"
)

// noCoreDumps keeps answers and keys in memory from being written to disk by a
// crash.
func noCoreDumps(log *slog.Logger) {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		log.Warn("core dumps could not be switched off", "err", err)
	}
}

// failNotDie makes a file that may not grow (a limit on file sizes) the error of
// a write, which the ledger goes on from, and not the end of the process.
func failNotDie() { signal.Ignore(syscall.SIGXFSZ) }
