package simulator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Server is a simulated inference service. It is an http.Handler and starts no
// goroutine of its own; all its methods may be called at any time.
type Server struct {
	opts     Options
	started  time.Time
	closing  chan struct{}
	close    sync.Once
	routes   *http.ServeMux
	replicas []*replica
	crowd    *crowd
	truths   *truths
	meter    meter
	prefixes prefixes
	seq      atomic.Uint64 // ordinal of the request
	turn     atomic.Uint64 // of round-robin

	mu       sync.RWMutex
	settings settings
}

// settings are what can be changed while the server runs.
type settings struct {
	profile   Profile
	faults    []Fault
	strangers float64
}

// New returns a server. Its pools hold strangers' texts from the start if
// there are to be any.
func New(opts Options) (*Server, error) {
	opts, err := opts.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts:     opts,
		started:  time.Now(),
		closing:  make(chan struct{}),
		crowd:    newCrowd(opts.Seed, opts.Tokens, min(4<<20, opts.DecodePool*4)),
		truths:   newTruths(opts.Truths),
		settings: settings{profile: opts.Profile, faults: opts.Faults, strangers: opts.Strangers},
	}
	for i := range opts.Replicas {
		e := newReplica(i, &s.opts)
		s.crowd.refill(e.prefill, opts.Strangers)
		s.crowd.refill(e.decode, opts.Strangers)
		s.replicas = append(s.replicas, e)
	}
	s.routes = s.handlers()
	return s, nil
}

// Close ends requests that hang. It does not wait for the others: shut down
// the http.Server for that.
func (s *Server) Close() { s.close.Do(func() { close(s.closing) }) }

// ServeHTTP serves the API: /v1/chat/completions, /v1/models, /health, what
// the prefill node says of itself (/server_info, /metrics), the same of the
// decode node below /decode/, and /admin/ if mounted.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

func (s *Server) handlers() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	s.introspection(mux)
	if s.opts.MountAdmin {
		mux.Handle("/admin/", s.Admin())
	}
	return mux
}

// Options returns the options in force, defaults filled in. Faults, profile and
// strangers are those the server was made with.
func (s *Server) Options() Options { return s.opts }

// Truth returns what really happened to the last requests, oldest first. A
// request is in it once its handler has ended.
func (s *Server) Truth() []Truth { return s.truths.list() }

// Counts returns totals over all requests.
func (s *Server) Counts() Counts { return s.truths.totals() }

// Faults returns the faults in force.
func (s *Server) Faults() []Fault { return append([]Fault(nil), s.now().faults...) }

// SetFault adds a fault, or replaces the one of the same name.
func (s *Server) SetFault(f Fault) error {
	f, err := f.complete()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	faults := make([]Fault, 0, len(s.settings.faults)+1)
	for _, other := range s.settings.faults {
		if other.Name != f.Name {
			faults = append(faults, other)
		}
	}
	s.settings.faults = append(faults, f)
	return nil
}

// SetFaults replaces all faults; none switches every fault off.
func (s *Server) SetFaults(faults ...Fault) error {
	list := make([]Fault, len(faults))
	var errs []error
	for i, f := range faults {
		var err error
		list[i], err = f.complete()
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.faults = list
	return nil
}

// SetProfile replaces the profile.
func (s *Server) SetProfile(p Profile) error {
	p, err := p.complete()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.profile = p
	return nil
}

// SetStrangers sets the share of pages that strangers wrote last, 0 to 1. It
// takes effect with the next request.
func (s *Server) SetStrangers(share float64) error {
	if !(share >= 0 && share <= 1) {
		return fmt.Errorf("strangers is %v, want 0 to 1", share)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings.strangers = share
	return nil
}

// Reset forgets the ground truth. Pools, faults and profile stay.
func (s *Server) Reset() { s.truths.clear() }

func (s *Server) now() settings {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.settings
}

// tenant returns the label of the request's key.
func (s *Server) tenant(r *http.Request) (label string, ok bool) {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return "", false
	}
	if len(s.opts.Keys) > 0 {
		label, ok = s.opts.Keys[key]
		return label, ok
	}
	sum := sha256.Sum256([]byte(key))
	return "key-" + hex.EncodeToString(sum[:6]), true
}

// route picks the replica for a tenant.
func (s *Server) route(tenant string) *replica {
	n := s.turn.Add(1) - 1
	if s.opts.Router == RouterSticky {
		h := fnv.New64a()
		h.Write([]byte(tenant))
		n = h.Sum64()
	}
	return s.replicas[n%uint64(len(s.replicas))]
}

// chat serves POST /v1/chat/completions.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	seq := s.seq.Add(1)
	now := s.now()
	t := &Truth{Seq: seq, ID: r.Header.Get("X-Request-Id"), Started: time.Now(), Slot: -1, Class: ClassError}
	j := &job{truth: t, rng: rand.New(rand.NewPCG(s.opts.Seed, seq))}
	if t.ID == "" {
		t.ID = randomID()
	}
	out := &statusWriter{ResponseWriter: w}
	defer func() {
		t.Status, t.Seconds = out.status, time.Since(t.Started).Seconds()
		s.truths.add(*t)
		if t.Ill == illHang || t.Ill == illDrop {
			panic(http.ErrAbortHandler) // breaks the connection
		}
	}()
	out.Header().Set("X-Request-Id", t.ID)
	req, ok := s.receive(out, r, j, now.profile)
	if !ok || s.gateway(out, r, j, now.profile) {
		return
	}
	s.generate(out, r, j, req, now)
}

// receive identifies the tenant and reads the request. It answers itself, and
// reports false, if either fails.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, j *job, p Profile) (*request, bool) {
	var ok bool
	if j.truth.Tenant, ok = s.tenant(r); !ok {
		// Read to the end, or a client that still writes would see a reset.
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, s.opts.MaxRequest))
		writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "Unauthorized"})
		return nil, false
	}
	limit := s.opts.MaxRequest
	if p.MaxBody > 0 && p.ill(time.Since(s.started)) {
		limit = min(limit, p.MaxBody)
	}
	if r.ContentLength > limit {
		j.truth.Ill = illTooLarge
		tooLarge(w, r, s.opts.MaxRequest)
		return nil, false
	}
	body := http.MaxBytesReader(w, r.Body, limit)
	req, err := readRequest(body, newDraft(s.opts.Tokens, 2*s.opts.Window, r.ContentLength))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		j.truth.Ill = illTooLarge
		writePage(w, http.StatusRequestEntityTooLarge, "413 Request Entity Too Large")
		return nil, false
	case errors.Is(err, errBody):
		writeEngineError(w, http.StatusBadRequest, err.Error())
		return nil, false
	case err != nil: // the client left
		j.truth.Class = ClassCancelled
		return nil, false
	case req.model != s.opts.Model && !s.opts.AnyModel:
		writeGatewayError(w, http.StatusNotFound, "invalid_request_error", "model_not_found", fmt.Sprintf("The model `%s` does not exist.", req.model))
		return nil, false
	}
	j.body = time.Now()
	j.prompt = req.prompt
	j.truth.Tokens, j.truth.Stream = req.prompt.tokens, req.stream
	return req, true
}

// generate takes a request through the engine and sends the answer.
func (s *Server) generate(w *statusWriter, r *http.Request, j *job, req *request, now settings) {
	ctx := r.Context()
	e := s.route(j.truth.Tenant)
	j.truth.Replica = e.id
	j.truth.InFlight = int(e.inFlight.Add(1))
	defer e.inFlight.Add(-1)
	s.strike(j, now.faults)
	j.shorten()

	if err := e.admit(j, req.maxTokens); err != nil {
		writeEngineError(w, http.StatusBadRequest, err.Error())
		return
	}
	j.budget = req.maxTokens
	if j.budget == 0 {
		j.budget = min(4096, s.opts.Window-j.prompt.tokens)
	}
	j.by = &origin{request: j.truth.ID, tenant: j.truth.Tenant}
	j.model = model{profile: now.profile, rng: j.rng, thinkingOff: req.thinkingOff}
	a, release, err := e.run(ctx, j, func(p *pool) { s.crowd.refill(p, now.strangers) })
	if err != nil {
		j.truth.Class = ClassCancelled
		return
	}
	defer release()
	slot := e.seat(j.truth.Seq)
	defer e.unseat(slot, a)
	j.truth.Slot = slot
	a, spoilt := e.mix(ctx, j, a)
	s.send(ctx, w, j, req, a, spoilt)
}

// strike draws which faults strike a request. Every fault takes one draw,
// whether its triggers are met or not.
func (s *Server) strike(j *job, faults []Fault) {
	j.truth.Warm = s.prefixes.see(j.prompt.prefixHash())
	c := circumstances{
		tokens:   j.prompt.tokens,
		inFlight: j.truth.InFlight,
		warm:     j.truth.Warm,
		since:    time.Since(s.started),
	}
	j.struck = map[string]Fault{}
	for _, f := range faults {
		if j.rng.Float64() < f.Rate && f.triggered(c) {
			j.struck[f.Name] = f
		}
	}
}

// mix is where answers can get to the wrong request, and where they are
// damaged.
func (e *replica) mix(ctx context.Context, j *job, a answer) (_ answer, spoilt bool) {
	_, seeking := j.strikes(FaultSwap)
	a, swapped := e.batch.exchange(ctx, a, seeking && e.inFlight.Load() > 1)
	if swapped {
		j.mark(FaultSwap)
	}
	if _, ok := j.strikes(FaultStaleSlot); ok {
		if last, ok := e.stale(j.truth.Slot); ok {
			a = last
			j.mark(FaultStaleSlot)
		}
	}
	return j.damage(a)
}

// statusWriter remembers the status that was sent.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
