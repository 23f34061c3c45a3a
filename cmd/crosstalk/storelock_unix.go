//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockStore keeps a second daemon off a ledger: two would probe twice and page
// twice. The lock is the kernel's and ends with the process, however it ends; the
// file beside the ledger only carries it. unlock gives it back.
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
	return f.Close, nil
}
