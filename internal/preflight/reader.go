package preflight

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"crosstalk/internal/secret"
)

// DefaultTimeout bounds one read of a live engine.
const DefaultTimeout = 10 * time.Second

// Address is where a node of a live deployment is read.
type Address struct {
	// Name of the node; "" for the host, port and path of its URL.
	Name string
	// URL is the root of the server, with or without the /v1 of its API.
	URL string
}

// Reader reads live engines. Every address is asked once; there is no retry.
type Reader struct {
	// Key is given to addresses that ask for one; zero: none.
	Key secret.Value
	// Model is the model to look at where a server has several.
	Model string
	// Engine is the engine, if it is known beforehand.
	Engine string
	// Timeout bounds one read; 0: DefaultTimeout.
	Timeout time.Duration
	// Roots are the certificates trusted; nil: the system's.
	Roots *x509.CertPool
}

// Read reads all nodes, side by side, and returns them in the order of the
// addresses. What could not be read is a problem of its node.
func (r *Reader) Read(ctx context.Context, addresses []Address) []*Node {
	nodes := make([]*Node, len(addresses))
	var all sync.WaitGroup
	for i, a := range addresses {
		all.Go(func() { nodes[i] = r.node(ctx, a) })
	}
	all.Wait()
	return nodes
}

// node reads one node.
func (r *Reader) node(ctx context.Context, a Address) *Node {
	n := &Node{Name: a.Name, only: r.Model}
	base, err := url.Parse(a.URL)
	if err != nil || base.Host == "" {
		n.trouble("--url", "is not an address", "write it like http://127.0.0.1:30000")
		return n
	}
	base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/v1")
	if n.Name == "" {
		n.Name = base.Host + base.Path
	}
	v := &visit{reader: r, node: n, base: base, asked: map[string]bool{}}
	v.transport = &http.Transport{
		// A connection that is kept may be found closed, and the transport
		// would then ask once more: so none is kept.
		DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
		TLSClientConfig: &tls.Config{RootCAs: r.Roots, MinVersion: tls.VersionTLS12},
		DialContext:     (&net.Dialer{}).DialContext,
	}
	v.run(ctx)
	n.redact(r.Key)
	return n
}

// Merge adds nodes that were read live to those that were read from files. A
// file and an address of one name are of one node; so are the only node of
// files without a name (named says whether they have one) and the only address.
// What was read live goes first.
func Merge(files, live []*Node, named bool) []*Node {
	out := slices.Clone(live)
	for _, f := range files {
		i := slices.IndexFunc(live, func(n *Node) bool { return n.Name == f.Name })
		if len(files) == 1 && len(live) == 1 && !named {
			i = 0
		}
		if i < 0 {
			out = append(out, f)
			continue
		}
		live[i].absorb(f.Name, f)
	}
	return out
}

// visit is one node being read.
type visit struct {
	reader    *Reader
	node      *Node
	base      *url.URL
	transport *http.Transport
	asked     map[string]bool
	down      bool // the server does not answer; nothing more is asked
	broken    bool // an answer was of no use: no use either in guessing on
}

// endpoint is an address of an engine and what it must answer.
type endpoint struct {
	path string
	want documentKind
	// instead is asked where path does not exist.
	instead string
}

// endpoints are what is asked of an engine once it is known.
func endpoints(engine string) []endpoint {
	switch engine {
	case SGLang:
		return []endpoint{{"/server_info", docServerInfo, "/get_server_info"}, {"/metrics", docMetrics, ""}}
	case VLLM:
		return []endpoint{{"/metrics", docMetrics, ""}, {"/version", docVersion, ""}}
	case LlamaCpp:
		return []endpoint{{"/props", docProps, ""}, {"/slots", docSlots, ""}}
	case Ollama:
		return []endpoint{{"/api/version", docVersion, ""}, {"/api/ps", docRunning, ""}}
	case TRTLLM:
		return []endpoint{{"/metrics", docIterations, ""}, {"/version", docVersion, ""}}
	}
	return nil
}

// run asks the list of models first: every engine has one, and most say there
// what they are. Where that does not help, addresses that only one engine has
// are tried; the metrics come last, because reading may empty them.
func (v *visit) run(ctx context.Context) {
	if e := v.reader.Engine; e != "" {
		v.node.setEngine(e, "--engine", "")
	}
	v.ask(ctx, endpoint{"/v1/models", docModels, ""})
	for _, guess := range []endpoint{
		{"/server_info", docServerInfo, "/get_server_info"}, {"/props", docProps, ""}, {"/api/ps", docRunning, ""}, {"/metrics", "", ""},
	} {
		if v.node.engine() == "" && !v.broken {
			v.ask(ctx, guess)
		}
	}
	engine := v.node.engine()
	if engine == "" && !v.down && len(v.node.Problems) == 0 {
		v.node.trouble(v.base.String(), "no engine was recognised by what it answers",
			"name the engine with --engine, or read its own address rather than a gateway's; what it says of itself can also be given as files with --from")
	}
	for _, e := range endpoints(engine) {
		v.ask(ctx, e)
	}
	if engine == Ollama {
		v.askModels(ctx)
	}
}

// ask reads one address, if it was not read before.
func (v *visit) ask(ctx context.Context, e endpoint) {
	a, ok := v.once(ctx, http.MethodGet, e.path, nil)
	if ok && a.absent() && e.instead != "" {
		a, ok = v.once(ctx, http.MethodGet, e.instead, nil)
	}
	if ok && !a.absent() {
		v.take(a, e.want)
	}
}

// askModels asks Ollama about the models that are loaded, else about the one
// named, else about those it has.
func (v *visit) askModels(ctx context.Context) {
	var loaded, listed []string
	for _, f := range v.node.all(Model) {
		if strings.HasSuffix(f.Where, "/api/ps") {
			loaded = append(loaded, f.Value.text)
		} else {
			listed = append(listed, f.Value.text)
		}
	}
	models := loaded
	switch {
	case v.reader.Model != "":
		models = []string{v.reader.Model}
	case len(loaded) == 0:
		models = listed
	}
	for _, m := range models[:min(len(models), mostShows)] {
		body, err := json.Marshal(map[string]string{"model": m})
		if err != nil {
			continue // a text always encodes
		}
		a, ok := v.once(ctx, http.MethodPost, "/api/show", body)
		if !ok {
			continue
		}
		value, err := decode(a.body)
		o, isObject := value.(object)
		switch {
		case a.status == http.StatusNotFound:
			v.node.trouble(a.where, "there is no model "+clean(m), "name one that the server has with --model")
		case a.status != http.StatusOK || err != nil || !isObject:
			v.node.trouble(a.where, a.why(err), "see whether the server is well")
		default:
			if err := v.node.readShow(a.where, m, o); err != nil {
				v.node.trouble(a.where, err.Error(), "see whether the server is well")
			}
		}
	}
}

// mostShows bounds how many models Ollama is asked about.
const mostShows = 8

// take turns an answer into facts, or a problem.
func (v *visit) take(a *answer, want documentKind) {
	n := v.node
	switch {
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		do := "name a key that may read it with --key env:NAME or --key file:PATH"
		if a.keyed {
			do = "the key was refused; name one that may read it with --key"
		}
		n.trouble(a.where, fmt.Sprintf("it wants a key (HTTP %d)", a.status), do)
		return
	case a.status != http.StatusOK:
		v.broken = true
		n.trouble(a.where, a.why(nil), "see whether the server is well, and whether the address is the engine's own")
		return
	}
	fresh := &Node{only: n.only}
	kind, err := fresh.read(a.where, a.body)
	switch {
	case err != nil:
		v.broken = true
		n.trouble(a.where, err.Error(), "see whether the address is the engine's own, and not a gateway's or a portal's")
		return
	case want != "" && kind != want:
		n.trouble(a.where, fmt.Sprintf("it answered with %s instead of %s", kind, want), "name the engine with --engine if it was mistaken for another")
		return
	}
	n.absorb(a.where, fresh)
	if !a.keyed && want != docModels && want != docVersion {
		n.add(Fact{Name: Open, Of: a.path, Value: Text(a.reach), Where: a.where, Field: "read without a key"})
	}
}
