// Package heartbeat tells a dead-man's switch that crosstalk is alive.
//
// A watcher that has stopped looks like a watcher with nothing to say. Something
// outside must therefore expect a sign of life and raise the alarm when it does
// not come: healthchecks.io, an Alertmanager's watchdog, a cron job of your own.
//
// A heartbeat from a goroutine that does nothing else proves only that the
// process exists. This one is sent only while rounds complete and pages can be
// delivered, and it takes the path that a page takes ([alerting.Sender]).
package heartbeat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"crosstalk/alerting"
	"crosstalk/internal/secret"
)

// Options are the options of a heartbeat.
type Options struct {
	Name string // in the configuration
	// URL is where to post. It is a secret: it lets anybody say that we live.
	URL secret.Value
	// Every is how often; 0 means a minute.
	Every time.Duration
	// Fresh is how old the last completed round may be; 0 means three times
	// Every. Set it above the interval of the most frequent probe.
	Fresh time.Duration
	// Alive, if set, says what else must be true, such as the Stuck of a
	// courier.
	Alive func(now time.Time) error
	// HTTP are the options of the connection.
	HTTP alerting.SenderOptions
	// Sent, if set, is told of each beat: nil, why it was not sent, or why it
	// did not arrive.
	Sent func(err error)
}

// ErrStale is that of a beat that is not sent because no round has completed.
var ErrStale = errors.New("no round has completed lately")

// Heart beats while rounds complete.
type Heart struct {
	o      Options
	sender *alerting.Sender

	mu   sync.Mutex
	last time.Time
}

// New returns a heart that does not beat yet. An error says which option is
// wrong.
func New(o Options) (*Heart, error) {
	if o.Name == "" {
		o.Name = "heartbeat"
	}
	u, err := url.Parse(o.URL.Reveal())
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s: url: want http:// or https:// and a host", o.Name)
	}
	if o.Every <= 0 {
		o.Every = time.Minute
	}
	if o.Fresh <= 0 {
		o.Fresh = 3 * o.Every
	}
	o.HTTP.Secrets = append([]secret.Value{o.URL}, o.HTTP.Secrets...)
	return &Heart{o: o, sender: alerting.NewSender(o.Name, o.HTTP)}, nil
}

// Completed tells that a round has been stored at a time.
func (h *Heart) Completed(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at.After(h.last) {
		h.last = at
	}
}

// Run beats until ctx is done.
func (h *Heart) Run(ctx context.Context) {
	tick := time.NewTicker(h.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			err := h.Beat(ctx, now)
			if h.o.Sent != nil && ctx.Err() == nil {
				h.o.Sent(err)
			}
		}
	}
}

// Beat sends one beat, if there is reason to. The error wraps ErrStale, is what
// Alive said, or is an [*alerting.DeliveryError].
func (h *Heart) Beat(ctx context.Context, now time.Time) error {
	h.mu.Lock()
	last := h.last
	h.mu.Unlock()
	if last.IsZero() || now.Sub(last) > h.o.Fresh {
		return fmt.Errorf("%s: %w: the last at %s", h.o.Name, ErrStale, last.Format(time.RFC3339))
	}
	if h.o.Alive != nil {
		if err := h.o.Alive(now); err != nil {
			return fmt.Errorf("%s: %w", h.o.Name, err)
		}
	}
	body, err := json.Marshal(map[string]any{"version": 1, "at": now.UTC(), "last_round": last.UTC()})
	if err != nil {
		return fmt.Errorf("%s: encode: %w", h.o.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, h.o.Every)
	defer cancel()
	return h.sender.Post(ctx, h.o.URL, nil, body)
}
