package engine

import (
	"os/exec"
	"syscall"
)

// dieWithParent asks the kernel to end the process when the thread that starts
// it ends.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
