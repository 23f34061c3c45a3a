//go:build !unix

package main

// lockStore does nothing where the kernel has no such lock.
func lockStore(string) (unlock func() error, err error) {
	return func() error { return nil }, nil
}

// daemonless cannot tell.
func daemonless(string) bool { return false }
