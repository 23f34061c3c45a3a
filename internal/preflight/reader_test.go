package preflight

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crosstalk/internal/secret"
)

// fakeEngine answers what its table says and counts what it was asked.
type fakeEngine struct {
	answers map[string]string // body by path; what is not there is 404
	key     string            // wanted everywhere but on open paths
	open    []string

	mu    sync.Mutex
	asked map[string]int
	keyed map[string]int
}

func (e *fakeEngine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked[r.URL.Path]++
	given := r.Header.Get("Authorization")
	if given != "" {
		e.keyed[r.URL.Path]++
	}
	body, ok := e.answers[r.URL.Path]
	guarded := e.key != ""
	for _, p := range e.open {
		guarded = guarded && p != r.URL.Path
	}
	switch {
	case guarded && given != "Bearer "+e.key:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":"Unauthorized %s"}`, given)
	case !ok:
		http.NotFound(w, r)
	default:
		fmt.Fprint(w, body)
	}
}

func (e *fakeEngine) start(t *testing.T) string {
	t.Helper()
	e.asked, e.keyed = map[string]int{}, map[string]int{}
	s := httptest.NewServer(e)
	t.Cleanup(s.Close)
	return s.URL
}

const (
	sglangModels = `{"object":"list","data":[{"id":"m","owned_by":"sglang","max_model_len":8192}]}`
	sglangInfo   = `{"max_total_num_tokens":8192,"max_req_input_len":8186,"context_length":null,"disaggregation_mode":"null","version":"0.5.22"}`
	vllmModels   = `{"object":"list","data":[{"id":"m","owned_by":"vllm","max_model_len":8192}]}`
	vllmMetrics  = `vllm:cache_config_info{engine="0",kv_cache_size_tokens="16384",enable_prefix_caching="False"} 1` + "\n"
	llamaModels  = `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx_train":32768}}]}`
	llamaProps   = `{"default_generation_settings":{"n_ctx":2048},"total_slots":4,"build_info":"b1-npm"}`
	trtModels    = `{"data":[{"id":"m","owned_by":"tensorrt_llm"}]}`
	trtMetrics   = `[{"kvCacheStats":{"maxNumBlocks":200,"tokensPerBlock":32}}]`
)

// engines are fakes of the five, by name.
func engines() map[string]*fakeEngine {
	return map[string]*fakeEngine{
		SGLang:   {answers: map[string]string{"/v1/models": sglangModels, "/get_server_info": sglangInfo}},
		VLLM:     {answers: map[string]string{"/v1/models": vllmModels, "/metrics": vllmMetrics, "/version": `{"version":"0.30.0"}`}},
		LlamaCpp: {answers: map[string]string{"/v1/models": llamaModels, "/props": llamaProps, "/slots": `[{"id":0,"n_ctx":2048,"prompt":"a stranger's"}]`}},
		Ollama: {answers: map[string]string{
			"/v1/models": `{"data":[{"id":"m:latest","owned_by":"library"}]}`, "/api/version": `{"version":"0.17.4"}`,
			"/api/ps": `{"models":[{"name":"m:latest","context_length":2048}]}`, "/api/show": `{"model_info":{"general.architecture":"llama","llama.context_length":32768}}`,
		}},
		TRTLLM: {answers: map[string]string{"/v1/models": trtModels, "/metrics": trtMetrics, "/version": `{"version":"1.2.0"}`}},
	}
}

func readOne(t *testing.T, r Reader, url string) *Node {
	t.Helper()
	if r.Timeout == 0 {
		r.Timeout = time.Minute // not what is tested, and the machine may be busy
	}
	return r.Read(t.Context(), []Address{{URL: url}})[0]
}

// TestReadEngines recognises each engine and asks every address once.
func TestReadEngines(t *testing.T) {
	want := map[string]map[Name]int64{
		SGLang:   {Window: 8192, Pool: 8192, InputLimit: 8186},
		VLLM:     {Window: 8192, Pool: 16384},
		LlamaCpp: {Window: 2048, Trained: 32768, Slots: 4},
		Ollama:   {Window: 2048, Trained: 32768},
		TRTLLM:   {Pool: 6400},
	}
	for name, fake := range engines() {
		t.Run(name, func(t *testing.T) {
			n := readOne(t, Reader{}, fake.start(t)+"/v1/")
			if len(n.Problems) > 0 || n.engine() != name {
				t.Fatalf("engine %q, problems %v", n.engine(), n.Problems)
			}
			got := map[Name]int64{}
			for _, f := range n.Facts {
				if f.Unit != "" {
					got[f.Name] = f.Value.count
				}
			}
			if diff := cmp.Diff(want[name], got); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
			for path, times := range fake.asked {
				if times != 1 {
					t.Errorf("%s was asked %d times", path, times)
				}
			}
		})
	}
}

// TestOllamaModels holds that what one model says is not held against another,
// and that a model which is named and not loaded is not judged by one that is.
func TestOllamaModels(t *testing.T) {
	fake := engines()[Ollama]
	fake.answers["/v1/models"] = `{"data":[{"id":"m:latest","owned_by":"library"},{"id":"idle:latest","owned_by":"library"}]}`
	fake.answers["/api/ps"] = `{"models":[{"name":"m:latest","context_length":32768},{"name":"other","context_length":2048}]}`
	url := fake.start(t)
	for model, want := range map[string][]string{
		"":     {"advertised 32,768 tokens, served 32,768", "advertised 32,768 tokens, served 2,048"},
		"m":    {"advertised 32,768 tokens, served 32,768"},
		"idle": {"advertised 32,768 tokens; the window that is served is not known"},
	} {
		var got []string
		for _, j := range judge(t, Options{}, readOne(t, Reader{Model: model}, url)).Judgements {
			if j.ID == IDAdvertised {
				got = append(got, j.Means)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("model %q (-want +got):\n%s", model, diff)
		}
	}
}

// TestDrainingMetrics holds that statistics which reading empties are read
// once, also where nothing before them says what engine it is.
func TestDrainingMetrics(t *testing.T) {
	for _, models := range []string{trtModels, `{"data":[]}`} {
		fake := engines()[TRTLLM]
		fake.answers["/v1/models"] = models
		n := readOne(t, Reader{}, fake.start(t))
		if f, ok := n.first(Pool); !ok || f.Value.count != 6400 || fake.asked["/metrics"] != 1 {
			t.Errorf("models %s: pool %v, metrics read %d times", models, f, fake.asked["/metrics"])
		}
	}
}

// TestKey holds that a key goes only to an address that asks for it, that what
// is open without one is a fact, and that no report shows the key, not even
// where the server sends it back.
func TestKey(t *testing.T) {
	const key = "planted-secret"
	fake := engines()[SGLang]
	fake.answers["/metrics"] = "sglang:max_total_num_tokens 8192\n"
	fake.answers["/server_info"] = strings.Replace(sglangInfo, "0.5.22", "0.5.22+"+key, 1)
	fake.key, fake.open = key, []string{"/metrics"}
	url := fake.start(t)
	n := readOne(t, Reader{Key: secret.New(key)}, url)
	if len(n.Problems) > 0 {
		t.Fatal(n.Problems)
	}
	if fake.keyed["/metrics"] != 0 || fake.keyed["/server_info"] != 1 || fake.asked["/server_info"] != 2 {
		t.Errorf("asked %v, with the key %v", fake.asked, fake.keyed)
	}
	open := n.all(Open)
	if len(open) != 1 || open[0].Of != "/metrics" || open[0].Value.text != OpenLoopback {
		t.Errorf("open: %v", open)
	}
	if strings.Contains(fmt.Sprint(n), key) {
		t.Errorf("the key is shown: %v", n)
	}

	wrong := readOne(t, Reader{Key: secret.New("planted-secret-2")}, url)
	none := readOne(t, Reader{}, url)
	for _, n := range []*Node{wrong, none} {
		if len(n.Problems) == 0 || strings.Contains(fmt.Sprint(n), "planted") {
			t.Errorf("problems %v", n.Problems)
		}
	}
	if !strings.Contains(none.Problems[0].Do, "--key") || !strings.Contains(wrong.Problems[0].Do, "was refused") {
		t.Errorf("advice %q, %q", none.Problems[0].Do, wrong.Problems[0].Do)
	}
}

// TestHostileServers holds that whatever a server does, there is a problem that
// says so, and never a fine report.
func TestHostileServers(t *testing.T) {
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for name, c := range map[string]struct {
		want  string
		serve http.HandlerFunc
	}{
		"page": {"an HTML", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>sign in</html>") }},
		"502": {"HTTP 502 and an HTML page", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, "<html>bad gateway</html>")
		}},
		"redirect": {"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		}},
		"nothing": {"no engine was recognised", http.NotFound},
		"hang": {"no answer in time", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}},
		"endless": {"larger than 8 MiB", func(w http.ResponseWriter, r *http.Request) {
			block := make([]byte, 1<<16)
			for r.Context().Err() == nil {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}},
		"cut": {"ends early", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[`) }},
		"error": {"HTTP 500: out of   memory", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"error":{"message":"out of \u001b memory"}}`)
		}},
		"wrong kind": {"answered with", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/models" {
				fmt.Fprint(w, sglangModels)
				return
			}
			fmt.Fprint(w, llamaProps)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(c.serve)
			defer s.Close()
			timeout := time.Minute
			if name == "hang" {
				timeout = 20 * time.Millisecond
			}
			n := readOne(t, Reader{Timeout: timeout}, s.URL)
			r, err := Judge([]*Node{n}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.ExitCode != 3 || len(n.Problems) > 2 || !strings.Contains(fmt.Sprint(n.Problems), c.want) {
				t.Errorf("exit %d, problems %q", r.ExitCode, n.Problems)
			}
		})
	}
}

// TestNobodyListens holds that a dead node is one problem, not one for each
// address, and that the other nodes are read.
func TestNobodyListens(t *testing.T) {
	dead := httptest.NewServer(nil)
	dead.Close()
	nodes := (&Reader{}).Read(t.Context(), []Address{{Name: "dead", URL: dead.URL}, {URL: engines()[VLLM].start(t)}})
	if len(nodes[0].Problems) != 1 || len(nodes[1].Problems) != 0 || nodes[1].engine() != VLLM {
		t.Errorf("dead: %v, alive: %v", nodes[0].Problems, nodes[1].Problems)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := (&Reader{}).Read(ctx, []Address{{URL: engines()[VLLM].start(t)}})[0]
	if len(n.Problems) != 1 || n.Problems[0].Why != "interrupted" {
		t.Errorf("problems %v", n.Problems)
	}
}

func TestReach(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:80": OpenLoopback, "[::1]:80": OpenLoopback, "10.1.2.3:80": OpenPrivate, "100.64.1.1:80": OpenPrivate,
		"169.254.1.1:80": OpenPrivate, "[fd00::1]:80": OpenPrivate, "192.0.2.1:80": OpenPublic, "[::ffff:10.0.0.1]:80": OpenPrivate,
	} {
		a, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if got := reachOf(a); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// TestMerge holds which files belong to which address.
func TestMerge(t *testing.T) {
	node := func(name string, fact Name) *Node {
		n := &Node{Name: name}
		n.add(Fact{Name: fact, Value: Count(1), Where: name})
		return n
	}
	for name, c := range map[string]struct {
		files, live []*Node
		named       bool
		want        map[string]int // facts by node
	}{
		"same name":           {[]*Node{node("a", Pool)}, []*Node{node("a", Window), node("b", Window)}, true, map[string]int{"a": 2, "b": 1}},
		"another name":        {[]*Node{node("c", Pool)}, []*Node{node("a", Window)}, true, map[string]int{"a": 1, "c": 1}},
		"one of each":         {[]*Node{node("x.json", Pool)}, []*Node{node("h:1", Window)}, false, map[string]int{"h:1": 2}},
		"files only":          {[]*Node{node("x.json", Pool)}, nil, false, map[string]int{"x.json": 1}},
		"several, no name":    {[]*Node{node("x.json", Pool)}, []*Node{node("h:1", Window), node("h:2", Window)}, false, map[string]int{"h:1": 1, "h:2": 1, "x.json": 1}},
		"address, no file":    {nil, []*Node{node("h:1", Window)}, false, map[string]int{"h:1": 1}},
		"nothing of anything": {nil, nil, false, map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]int{}
			for _, n := range Merge(c.files, c.live, c.named) {
				got[n.Name] = len(n.Facts)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}
