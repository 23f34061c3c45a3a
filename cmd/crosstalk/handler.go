package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"crosstalk/dashboards/web"
	"crosstalk/internal/metrics"
)

// newHandler is everything that serve answers.
func (d *daemon) newHandler() (http.Handler, error) {
	pages, err := web.New(d.ledger, web.Options{Site: d.webSite, Now: d.env.now, Log: d.log})
	if err != nil {
		return nil, fmt.Errorf("make the pages: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.Handle("GET /metrics", metrics.Handler(d.registry))
	mux.HandleFunc("GET /-/healthy", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "healthy") })
	mux.HandleFunc("GET /-/ready", func(w http.ResponseWriter, _ *http.Request) {
		if !d.ready.Load() {
			http.Error(w, "not ready yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	mux.HandleFunc("POST /-/reload", own(func(r *http.Request) error { return d.reload(r.Context()) }))
	mux.HandleFunc("POST /-/deploy", own(func(r *http.Request) error {
		if err := d.current().knows(r.FormValue("target")); err != nil {
			return err
		}
		d.preflight.start(r.FormValue("target"))
		return d.scheduler.Deployed(r.Context(), r.FormValue("target"))
	}))
	mux.HandleFunc("POST /-/pause", own(func(r *http.Request) error {
		if err := d.current().knows(r.FormValue("target")); err != nil {
			return err
		}
		defer d.scheduler.Refresh(r.Context())
		return d.ledger.Pause(r.Context(), r.FormValue("target"), "api", r.FormValue("reason"), d.env.now())
	}))
	mux.HandleFunc("POST /-/resume", own(func(r *http.Request) error {
		defer d.scheduler.Refresh(r.Context())
		return d.ledger.Resume(r.Context(), r.FormValue("target"), "api", d.env.now())
	}))
	return mux, nil
}

// own answers a request that changes something. One that a web page of another
// origin made a browser send is refused.
func own(do func(*http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" && !strings.HasSuffix(origin, "//"+r.Host) {
			http.Error(w, "requests of other origins are refused", http.StatusForbidden)
			return
		}
		if err := do(r); err != nil {
			status := http.StatusInternalServerError
			if errors.Is(err, errNoTarget) {
				status = http.StatusNotFound
			}
			http.Error(w, err.Error(), status)
			return
		}
		fmt.Fprintln(w, "done")
	}
}

// webSite is what the pages need of the configuration.
func (d *daemon) webSite() web.Site {
	l := d.current()
	s := web.Site{Version: version(), Evidence: d.evidenceNote(), Tenants: l.names}
	for _, silence := range l.silences() {
		if now := d.env.now(); now.Before(silence.Until) {
			s.Silences = append(s.Silences, web.Silence(silence))
		}
	}
	for _, name := range l.targets() {
		t := l.sites[name].Target
		s.Targets = append(s.Targets, web.Target{
			Name: name, API: t.API, Model: t.Model, Window: t.Window, Preflight: d.preflight.last(name), LeftAlone: d.scheduler.LeftAlone(name, d.env.now()),
		})
	}
	return s
}
