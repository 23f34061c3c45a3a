//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
)

// lockStore keeps a second daemon off a ledger: two would probe twice and page
// twice. The lock is the kernel's and ends with the process, however it ends; the
// file beside the ledger carries it, and the number of the process for whoever
// asks. unlock gives it back.
func lockStore(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the ledger: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errStoreInUse
		}
		return nil, fmt.Errorf("lock the ledger %s: %w", path, err)
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the ledger: %w", err), f.Close())
	}
	return func() error { return errors.Join(f.Truncate(0), f.Close()) }, nil
}

// daemonless reports whether no daemon of this machine has the ledger. It goes
// by the process that the lock's file names, and tries the lock only if there is
// one: to hold it for a moment could keep off a daemon that is being started.
// When in doubt it reports false.
func daemonless(path string) bool {
	f, err := os.Open(path + ".lock")
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 32))
	if err != nil || len(text) == 0 {
		return err == nil
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	if err != nil {
		return false
	}
	// A process that was killed keeps its number until its parent has asked for
	// its end, and another process may have been given it.
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil
}
