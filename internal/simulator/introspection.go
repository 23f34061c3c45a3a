package simulator

import (
	"fmt"
	"net/http"
	"strings"
)

// node is one of the two serving processes of a disaggregated engine.
type node struct {
	mode        string // prefill or decode
	path        string // its root below ours
	pool, limit int    // tokens: its pool, and the longest prompt it takes
}

// nodes are the prefill node, which is the root itself, and the decode node.
func (s *Server) nodes() []node {
	return []node{
		{"prefill", "", s.opts.PrefillPool, s.opts.maxInput()},
		{"decode", "/decode", s.opts.DecodePool, min(s.opts.Window, s.opts.DecodePool) - 6},
	}
}

// introspection serves what the engine says of itself, in the shapes of
// SGLang: the numbers from which a mismatch of pool and window can be seen
// before anybody is hurt by it. As there, keys that are configured guard all
// but the metrics.
func (s *Server) introspection(mux *http.ServeMux) {
	for _, n := range s.nodes() {
		mux.HandleFunc("GET "+n.path+"/v1/models", s.guarded(s.models))
		info := s.guarded(func(w http.ResponseWriter) { s.info(w, n) })
		mux.HandleFunc("GET "+n.path+"/server_info", info)
		mux.HandleFunc("GET "+n.path+"/get_server_info", info)
		mux.HandleFunc("GET "+n.path+"/metrics", func(w http.ResponseWriter, _ *http.Request) { s.metrics(w, n) })
	}
}

// guarded asks for a key, if there are any.
func (s *Server) guarded(next func(http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s.tenant(r); !ok && len(s.opts.Keys) > 0 {
			writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "Unauthorized"})
			return
		}
		next(w)
	}
}

func (s *Server) models(w http.ResponseWriter) {
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list",
		"data": []any{map[string]any{
			"id": s.opts.Model, "object": "model", "created": s.started.Unix(),
			"owned_by": "sglang", "root": s.opts.Model, "max_model_len": s.opts.Window,
		}},
	})
}

// version is that of an engine which has the seed fault, or of one which has
// it no more.
func (s *Server) version() string {
	for _, f := range s.now().faults {
		if f.Name == FaultSeed {
			return "0.5.11"
		}
	}
	return "0.5.22"
}

// info answers /server_info. Like the real one it leaves the window out: no
// flag set it, so it is in /v1/models only.
func (s *Server) info(w http.ResponseWriter, n node) {
	states := make([]any, len(s.replicas))
	for i := range states {
		states[i] = map[string]any{"memory_usage": map[string]any{"token_capacity": n.pool}}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"status": "ready", "version": s.version(), "model_path": s.opts.Model, "served_model_name": s.opts.Model,
		"context_length": nil, "page_size": pageTokens, "max_total_num_tokens": n.pool, "max_req_input_len": n.limit,
		"disaggregation_mode": n.mode, "allow_auto_truncate": false, "disable_radix_cache": true,
		"disaggregation_enable_kv_checksum": false, "internal_states": states,
	})
}

// metrics answers /metrics: a line for each replica, never to be added up.
func (s *Server) metrics(w http.ResponseWriter, n node) {
	var b strings.Builder
	b.WriteString("# HELP sglang:max_total_num_tokens Maximum total number of tokens in the KV cache pool.\n# TYPE sglang:max_total_num_tokens gauge\n")
	for _, e := range s.replicas {
		fmt.Fprintf(&b, "sglang:max_total_num_tokens{dp_rank=\"%d\",engine_type=%q} %d\n", e.id, n.mode, n.pool)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = w.Write([]byte(b.String()))
}
