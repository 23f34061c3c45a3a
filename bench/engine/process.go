package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Server is a running engine, or another server for tests.
type Server struct {
	// BaseURL is the base_url of a target, e.g. http://127.0.0.1:40123/v1.
	BaseURL string
	cmd     *exec.Cmd
	exited  chan struct{} // closed when the process has ended
}

// launch starts a server as a process with further environment variables, and
// returns when it says in its log where it listens.
func launch(ctx context.Context, log io.Writer, env []string, program string, args ...string) (*Server, error) {
	name := filepath.Base(program)
	watch := &listening{log: log, address: make(chan string, 1)}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Stdout, cmd.Stderr = watch, watch
	cmd.Env = append(os.Environ(), env...)
	s := &Server{cmd: cmd, exited: make(chan struct{})}
	started := make(chan error, 1)
	go s.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	select {
	case address := <-watch.address:
		s.BaseURL = "http://" + address + "/v1"
		return s, nil
	case <-s.exited:
		return nil, fmt.Errorf("%s ended before it listened: %s\n%s", name, cmd.ProcessState, watch.tail())
	}
}

// run is the life of the process. It stays on one thread: on Linux the kernel
// ends the process with the thread that started it, so that a test that is
// killed leaves no server behind.
func (s *Server) run(started chan<- error) {
	runtime.LockOSThread()
	defer close(s.exited)
	dieWithParent(s.cmd)
	err := s.cmd.Start()
	started <- err
	if err == nil {
		_ = s.cmd.Wait() // it ends by our signal, or before it listens: seen in Start
	}
}

// Stop ends the server and waits for it.
func (s *Server) Stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // no process: already ended
	<-s.exited
}
