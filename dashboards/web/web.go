package web

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"crosstalk/alerting"
	"crosstalk/internal/ledger"
	"crosstalk/internal/preflight"
	"crosstalk/probes"
)

// Source is what the pages read. A ledger.Ledger is one.
type Source interface {
	Incidents(ctx context.Context, f ledger.IncidentFilter) ([]alerting.Incident, error)
	Incident(ctx context.Context, id uuid.UUID) (alerting.Incident, error)
	Sightings(ctx context.Context, id uuid.UUID) ([]ledger.ExchangeRecord, error)
	Pages(ctx context.Context, id uuid.UUID) ([]ledger.PageRecord, error)
	Rounds(ctx context.Context, f ledger.RoundFilter) ([]ledger.RoundRecord, error)
	Round(ctx context.Context, id uuid.UUID) (ledger.RoundRecord, error)
	Cells(ctx context.Context, target string, since time.Time) ([]ledger.CellRecord, error)
	Spent(ctx context.Context, target string, t time.Time) (probes.Spend, error)
	Paused(ctx context.Context, target string) (ledger.PauseRecord, bool, error)
}

// Site is what the pages need of the configuration.
type Site struct {
	Version string
	Targets []Target
	// Evidence says in one sentence what is kept of answers.
	Evidence string
	// Silences are announced and not over: they hold now or will.
	Silences []Silence
	// Tenants are the names of tenants by index.
	Tenants map[uint16]string
}

// Target is a configured target.
type Target struct {
	Name, API, Model string
	Window           int // tokens, as advertised
	// Preflight is what the engines behind it last said of themselves, judged;
	// nil if that was not read.
	Preflight *preflight.Report
	// LeftAlone is why nothing is sent to it at the moment because a person
	// said so beforehand, "" if it is probed.
	LeftAlone string
}

// Silence is an announced time in which a target is not probed.
type Silence struct {
	Target      string // "": every target
	From, Until time.Time
	Reason      string
}

// Options are the options of the pages.
type Options struct {
	// Site returns the configuration as it is; it may change on a reload.
	Site func() Site
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Base goes before every path, without a slash at its end: "/canary" for
	// pages behind a proxy. The handler itself is asked for paths without it.
	Base string
	// Window is the time that bounds are computed over; 0 means DefaultWindow.
	Window time.Duration
	// Log is told of pages that could not be shown; nil means nobody is.
	Log *slog.Logger
}

// DefaultWindow is the time that bounds are computed over.
const DefaultWindow = 30 * 24 * time.Hour

// Bounds of lists. A page says when it left something out.
const (
	mostIncidents = 100
	mostRounds    = 300
	mostRows      = 200 // of a table
	mostMarks     = 400 // of a page map
)

//go:embed templates/*.html static/* runbooks/*.md
var files embed.FS

// pages is the handler.
type pages struct {
	source    Source
	o         Options
	templates *template.Template
}

// New returns the handler of the pages: /, /targets/NAME, /rounds/ID,
// /incidents, /incidents/ID, /runbooks/NAME and what they need. It answers
// nothing but GET and HEAD.
func New(source Source, o Options) (http.Handler, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Window <= 0 {
		o.Window = DefaultWindow
	}
	p := &pages{source: source, o: o}
	t, err := template.New("").Funcs(p.funcs()).ParseFS(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates of the pages: %w", err)
	}
	p.templates = t
	static, err := fs.Sub(files, "static")
	if err != nil {
		return nil, fmt.Errorf("read the style of the pages: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", p.page("status", p.status))
	mux.Handle("GET /targets/{name}", p.page("target", p.target))
	mux.Handle("GET /rounds/{id}", p.page("round", p.round))
	mux.Handle("GET /incidents", p.page("incidents", p.incidents))
	mux.Handle("GET /incidents/{id}", p.page("incident", p.incident))
	mux.Handle("GET /runbooks/{name}", p.page("runbook", p.runbook))
	mux.Handle("GET /static/", http.StripPrefix("/static", http.FileServerFS(static)))
	mux.Handle("GET /", p.page("", func(*http.Request) (any, error) { return nil, errNotFound }))
	return secured(mux), nil
}

// policy allows our style sheet and icon, and nothing else.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// secured sets the headers that make hostile text inert.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// errNotFound is that of a page that does not exist.
var errNotFound = errors.New("no such page")

// frame is what surrounds every page.
type frame struct {
	Title   string
	Base    string
	Version string
	Now     time.Time
	Refresh int // seconds; 0: never
	Body    any
}

// titled is a body that names its page.
type titled interface{ title() string }

// page makes a handler of a function that gathers what a template shows.
func (p *pages) page(name string, gather func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := gather(r)
		status := http.StatusOK
		template := name
		switch {
		case errors.Is(err, errNotFound), errors.Is(err, ledger.ErrNotFound):
			status, template, body = http.StatusNotFound, "notfound", notFound{}
		case err != nil:
			if p.o.Log != nil {
				p.o.Log.Error("show a page", "path", r.URL.Path, "err", err)
			}
			status, template, body = http.StatusServiceUnavailable, "failed", failed{}
		}
		p.write(w, status, template, body)
	})
}

// write renders a page whole before it sends a byte of it.
func (p *pages) write(w http.ResponseWriter, status int, name string, body any) {
	f := frame{Base: p.o.Base, Version: p.site().Version, Now: p.o.Now().UTC(), Body: body}
	if b, ok := body.(titled); ok {
		f.Title = b.title()
	}
	if name == "status" || name == "target" {
		f.Refresh = 30
	}
	var buf bytes.Buffer
	if err := p.templates.ExecuteTemplate(&buf, name+".html", f); err != nil {
		if p.o.Log != nil {
			p.o.Log.Error("render a page", "page", name, "err", err)
		}
		http.Error(w, "the page could not be rendered; the log says why", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes())
}

func (p *pages) site() Site {
	if p.o.Site == nil {
		return Site{}
	}
	return p.o.Site()
}

type (
	notFound struct{}
	failed   struct{}
)

func (notFound) title() string { return "not found" }
func (failed) title() string   { return "not readable" }

// pathID is the identifier in a path.
func pathID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return uuid.Nil, errNotFound
	}
	return id, nil
}
