package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/term"
)

// processEnv is the environment of a real process.
func processEnv() *env {
	return &env{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		lookup: os.LookupEnv, now: time.Now,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// release is set by the linker in released binaries.
var release string

// version is the release, or what the Go tool knows of the build.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// open opens the named file, or stdin for "-" and "". A pipe that nobody
// writes to is waited for until the process is told to end.
func (e *env) open(name string) (io.ReadCloser, error) {
	if name == "" || name == "-" {
		return io.NopCloser(e.stdin), nil
	}
	return orInterrupted(e, func() (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, errors.Join(fmt.Errorf("%s is a folder", name), f.Close())
		}
		return f, nil
	})
}

// errInterrupted is what ends a wait for input when the process is told to
// end.
var errInterrupted = errors.New("interrupted while waiting for input")

// orInterrupted runs a call that may wait for input for ever, and gives up on
// it when the process is told to end. The call given up on is left behind and
// ends with the process.
func orInterrupted[T any](e *env, call func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := call()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-e.interrupted:
		var none T
		return none, errInterrupted
	}
}

// openError is the error of input that cannot be opened.
func openError(what string, err error, hint string) error {
	if errors.Is(err, errInterrupted) {
		return fmt.Errorf("open %s: %w", what, err)
	}
	return usageError(fmt.Errorf("open %s: %w", what, err), hint)
}

// argument is the first argument, "" if there is none.
func argument(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
