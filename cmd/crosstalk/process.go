package main

import (
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

// open opens the named file, or stdin for "-" and "".
func (e *env) open(name string) (io.ReadCloser, error) {
	if name == "" || name == "-" {
		return io.NopCloser(e.stdin), nil
	}
	return os.Open(name)
}

// argument is the first argument, "" if there is none.
func argument(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
