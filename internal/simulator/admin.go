package simulator

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// State is what GET /admin/state returns.
type State struct {
	Window      int         `json:"window"`
	PrefillPool int         `json:"prefill_pool"`
	DecodePool  int         `json:"decode_pool"`
	Reuse       Reuse       `json:"page_reuse"`
	Router      Router      `json:"router"`
	Strangers   float64     `json:"strangers"`
	Faults      []string    `json:"faults"`
	Profile     Profile     `json:"profile"`
	Counts      Counts      `json:"counts"`
	Pools       []PoolState `json:"pools"`
}

// PoolState counts the free pages of a pool by who wrote them last.
type PoolState struct {
	Replica   int    `json:"replica"`
	Side      string `json:"side"`
	Pages     int    `json:"pages"`
	Tenants   int    `json:"tenants"`
	Strangers int    `json:"strangers"`
	Blank     int    `json:"blank"`
}

// State returns the settings in force, the counts and the pools.
func (s *Server) State() State {
	now := s.now()
	state := State{
		Window: s.opts.Window, PrefillPool: s.opts.PrefillPool, DecodePool: s.opts.DecodePool,
		Reuse: s.opts.Reuse, Router: s.opts.Router,
		Strangers: now.strangers, Faults: []string{}, Profile: now.profile,
		Counts: s.Counts(),
	}
	for _, f := range now.faults {
		state.Faults = append(state.Faults, f.String())
	}
	for _, e := range s.replicas {
		for _, side := range []struct {
			name string
			pool *pool
		}{{"prefill", e.prefill}, {"decode", e.decode}} {
			p := PoolState{Replica: e.id, Side: side.name, Pages: len(side.pool.pages)}
			p.Tenants, p.Strangers, p.Blank = side.pool.census()
			state.Pools = append(state.Pools, p)
		}
	}
	return state
}

// Admin returns the handler of the admin endpoint. It answers requests from
// this machine only; others get 403.
//
//	GET    /admin/state                 State
//	GET    /admin/truth?id=&since=&limit=   []Truth, oldest first
//	POST   /admin/faults                text, one fault a line as ParseFault reads it: replaces all
//	PUT    /admin/faults                the same, but each replaces only the one of its name
//	DELETE /admin/faults                every fault off
//	POST   /admin/profile               text as ParseProfile reads it
//	POST   /admin/strangers             text, a number from 0 to 1
//	POST   /admin/reset                 forgets the ground truth
func (s *Server) Admin() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /admin/state", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, s.State()) })
	mux.HandleFunc("GET /admin/truth", s.adminTruth)
	mux.HandleFunc("POST /admin/faults", s.change(func(text string) error { return s.adminFaults(text, true) }))
	mux.HandleFunc("PUT /admin/faults", s.change(func(text string) error { return s.adminFaults(text, false) }))
	mux.HandleFunc("DELETE /admin/faults", s.change(func(string) error { return s.SetFaults() }))
	mux.HandleFunc("POST /admin/profile", s.change(func(text string) error {
		p, err := ParseProfile(text)
		if err != nil {
			return err
		}
		return s.SetProfile(p)
	}))
	mux.HandleFunc("POST /admin/strangers", s.change(func(text string) error {
		share, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("strangers is %.40q, want a number from 0 to 1", text)
		}
		return s.SetStrangers(share)
	}))
	mux.HandleFunc("POST /admin/reset", s.change(func(string) error { s.Reset(); return nil }))
	return loopbackOnly(mux)
}

// loopbackOnly refuses requests from other machines, and requests that a web
// page made a browser send.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() || r.Header.Get("Origin") != "" {
			writeJSON(w, http.StatusForbidden, map[string]string{"error": "Forbidden"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// change makes a handler of a function that takes the body's text. It answers
// with the new state.
func (s *Server) change(set func(text string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err == nil {
			err = set(strings.TrimSpace(string(body)))
		}
		if err != nil {
			writeJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		writeJSON(w, http.StatusOK, s.State())
	}
}

// adminFaults sets the faults of a text, one a line. Either all of them are set
// or none.
func (s *Server) adminFaults(text string, all bool) error {
	var faults []Fault
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		f, err := ParseFault(line)
		if err != nil {
			return err
		}
		faults = append(faults, f)
	}
	if all {
		return s.SetFaults(faults...)
	}
	for _, f := range faults {
		if err := s.SetFault(f); err != nil {
			return err
		}
	}
	return nil
}

// adminTruth serves the ground truth: all of it, of one request (id), of
// requests after a Seq (since), or the last few (limit).
func (s *Server) adminTruth(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	since, err1 := parseNumber(query.Get("since"))
	limit, err2 := parseNumber(query.Get("limit"))
	if err1 != nil || err2 != nil {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "since and limit are whole numbers"})
		return
	}
	found := []Truth{}
	for _, t := range s.Truth() {
		if id := query.Get("id"); (id == "" || t.ID == id) && t.Seq > since {
			found = append(found, t)
		}
	}
	if limit > 0 && uint64(len(found)) > limit {
		found = found[uint64(len(found))-limit:]
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found)
}

// parseNumber reads a whole number; nothing is 0.
func parseNumber(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	return strconv.ParseUint(text, 10, 64)
}
