package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"crosstalk/internal/report"
)

// reportFile is where a report goes: a file, or standard output for "".
type reportFile struct {
	path   string
	stdout io.Writer
}

// newReportFile checks that the report can be written before anything is
// spent on it. It leaves no trace.
func newReportFile(e *env, path string) (*reportFile, error) {
	f := &reportFile{stdout: e.stdout}
	if path == "" {
		return f, nil
	}
	f.path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(f.path); err == nil {
		f.path = real // the file is replaced, not the link to it
	}
	if err := f.check(); err != nil {
		return nil, usageError(fmt.Errorf("open report file: %w", err), "name a file that can be written with --output")
	}
	return f, nil
}

func (f *reportFile) check() error {
	if _, err := os.Stat(f.path); err == nil {
		old, err := os.OpenFile(f.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if err := old.Close(); err != nil || !f.replaceable() {
			return err
		}
	}
	aside, err := f.aside()
	if err != nil {
		return err
	}
	return errors.Join(aside.Close(), os.Remove(aside.Name()))
}

// replaceable reports whether the path may be renamed onto: not a device or a
// pipe.
func (f *reportFile) replaceable() bool {
	info, err := os.Stat(f.path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular()
}

// aside makes an empty file beside the report's, with the rights that the
// report's has or would have.
func (f *reportFile) aside() (*os.File, error) {
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(f.path); err == nil {
		mode = info.Mode().Perm()
	}
	name := fmt.Sprintf("%s.%d.tmp", f.path, os.Getpid())
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	return out, f.asNamed(err)
}

// asNamed is an error of the file beside the report's with the name that was
// asked for.
func (f *reportFile) asNamed(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return &fs.PathError{Op: of.Op, Path: f.path, Err: of.Err}
	}
	return err
}

// write writes the report. A file is written aside and takes its name when it
// is whole: a full disk or a kill leaves the old report.
func (f *reportFile) write(report func(io.Writer) error) error {
	if f.path == "" {
		return report(f.stdout)
	}
	if !f.replaceable() {
		out, err := os.OpenFile(f.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(report(out), out.Close())
	}
	out, err := f.aside()
	if err != nil {
		return err
	}
	if err := errors.Join(report(out), out.Sync(), out.Close()); err != nil {
		return errors.Join(f.asNamed(err), os.Remove(out.Name()))
	}
	return os.Rename(out.Name(), f.path)
}

// writeNew writes a file that is not there yet, and leaves none that is not
// whole.
func writeNew(path string, mode fs.FileMode, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// deliver writes the report of a run and ends with its verdict.
func deliver(e *env, f *reportFile, s *report.Summary, format string) error {
	return deliverReport(e, f, s.ExitCode, s.VerdictLine(), func(w io.Writer) error { return s.Write(w, format) })
}

// deliverReport writes a report and ends with its exit code. The verdict was
// paid for: it is said, and is the exit code, even when the report cannot be
// written. Only a sound one is then not vouched for: a gate that reads reports
// must not pass on one that is not there.
func deliverReport(e *env, f *reportFile, code int, verdict string, write func(io.Writer) error) error {
	// A reader that has gone away (a pipe into head) is an error of the write,
	// not the end of the process.
	signal.Ignore(syscall.SIGPIPE)
	err := f.write(write)
	if err == nil && f.path == "" {
		return withVerdict(code)
	}
	fmt.Fprintf(e.stderr, "crosstalk: %s\n", verdict)
	if err == nil {
		return withVerdict(code)
	}
	printError(e.stderr, fmt.Errorf("write report: %w", err), "make room, or name another file with --output; the verdict above stands")
	if code == report.ExitSound {
		return withVerdict(report.ExitInconclusive)
	}
	return withVerdict(code)
}
