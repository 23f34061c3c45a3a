package engine

import (
	"context"
	_ "embed" // the scripts
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"crosstalk/bench/engine/copymodel"
)

//go:embed install-peer.sh
var installScript string

//go:embed loopback.cjs
var loopbackScript []byte

// install installs a peer in dir, unless it is there, and returns its folder.
func install(ctx context.Context, dir, name string, log io.Writer) (string, error) {
	if err := script(ctx, log, installScript, nil, dir, name); err != nil {
		return "", fmt.Errorf("install %s in %s: %w", name, dir, err)
	}
	return filepath.Join(dir, "peers", name), nil
}

// modelfile makes the copy model known to Ollama, which does not take the chat
// template over from the file.
const modelfile = `FROM %s
TEMPLATE """{{- range .Messages }}<|{{ .Role }}|>{{ .Content }}<|end|>
{{ end }}<|assistant|>"""
PARAMETER stop "<|end|>"
PARAMETER num_thread 1
PARAMETER temperature 0
`

// StartOllama starts Ollama with the copy model under the name Model and a
// context of so many tokens for each of two requests at once. It cuts a prompt
// that does not fit and says nothing of it. Its files are in work. The first
// time takes up to three minutes.
func StartOllama(ctx context.Context, dir, work string, context int, log io.Writer) (*Server, error) {
	folder, err := install(ctx, dir, "ollama", log)
	if err != nil {
		return nil, err
	}
	model := filepath.Join(work, "copy.gguf")
	if err := writeModel(model, copymodel.Write); err != nil {
		return nil, fmt.Errorf("write the copy model: %w", err)
	}
	recipe := filepath.Join(work, "Modelfile")
	if err := os.WriteFile(recipe, fmt.Appendf(nil, modelfile, model), 0o600); err != nil {
		return nil, err
	}
	env := []string{
		"HOME=" + work, "OLLAMA_MODELS=" + filepath.Join(work, "models"), "OLLAMA_HOST=127.0.0.1:0",
		fmt.Sprintf("OLLAMA_CONTEXT_LENGTH=%d", context), "OLLAMA_NUM_PARALLEL=2", "OLLAMA_NOPRUNE=1",
	}
	program := filepath.Join(folder, "ollama")
	s, err := launch(ctx, log, env, program, "serve")
	if err != nil {
		return nil, err
	}
	create := exec.CommandContext(ctx, program, "create", Model, "-f", recipe)
	create.Env = append(os.Environ(), append(env, "OLLAMA_HOST="+strings.TrimSuffix(s.BaseURL, "/v1"))...)
	create.Stdout, create.Stderr = log, log
	if err := create.Run(); err != nil {
		s.Stop()
		return nil, fmt.Errorf("make the copy model known to Ollama: %w", err)
	}
	return s, nil
}

// startNode starts a server written for node on a free loopback port.
func startNode(ctx context.Context, dir, name, main string, log io.Writer, args ...string) (*Server, error) {
	folder, err := install(ctx, dir, name, log)
	if err != nil {
		return nil, err
	}
	preload := filepath.Join(folder, "loopback.cjs")
	if err := os.WriteFile(preload, loopbackScript, 0o600); err != nil {
		return nil, err
	}
	program, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.Join(err, errors.New("install node, e.g. apt-get install -y npm"))
	}
	args = append([]string{"--require", preload, filepath.Join(folder, "node_modules", filepath.FromSlash(main))}, args...)
	return launch(ctx, log, nil, program, args...)
}

// StartGateway starts Portkey's gateway. Where it sends a request to is in the
// request: see GatewayHeaders.
func StartGateway(ctx context.Context, dir string, log io.Writer) (*Server, error) {
	return startNode(ctx, dir, "portkey", "@portkey-ai/gateway/build/start-server.js", log, "--headless")
}

// GatewayHeaders are the request headers by which the gateway finds the server
// behind it.
func GatewayHeaders(behind *Server) map[string]string {
	return map[string]string{"x-portkey-provider": "openai", "x-portkey-custom-host": behind.BaseURL}
}

// StartProxy starts aimock as a proxy of a server: it turns a refusal of 400
// into a 502 with the same body. It wants a folder of fixtures, which may be
// empty.
func StartProxy(ctx context.Context, dir, fixtures string, behind *Server, log io.Writer) (*Server, error) {
	return startNode(ctx, dir, "aimock", "@copilotkit/aimock/dist/cli.js", log,
		"--proxy-only", "-f", fixtures, "--provider-openai", strings.TrimSuffix(behind.BaseURL, "/v1"))
}

// StartMock starts aimock with fixtures of its own format: a server that answers
// what it was told, whatever it is asked.
func StartMock(ctx context.Context, dir, fixtures string, log io.Writer) (*Server, error) {
	return startNode(ctx, dir, "aimock", "@copilotkit/aimock/dist/cli.js", log, "-f", fixtures)
}

// StartEcho starts mock-llm, which answers a prompt with the prompt.
func StartEcho(ctx context.Context, dir string, log io.Writer) (*Server, error) {
	return startNode(ctx, dir, "mock-llm", "@dwmkerr/mock-llm/dist/main.js", log)
}
