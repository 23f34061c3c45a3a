// Package alertmanager raises incidents as alerts of a Prometheus Alertmanager,
// through its API v2.
//
// An incident is one alert: its labels are its identity, and do not change while
// it is open but for the severity.
//
//	alertname  CrosstalkLeak, CrosstalkForeign, CrosstalkDamaged, CrosstalkBlind, CrosstalkProber
//	target     name of the target
//	kind       leak, foreign, damaged/<check>, blind, prober
//	severity   page or ticket
//	dedup      the dedup key of the incident
//
// Annotations are summary, description and runbook, never text of an answer.
//
// # Alertmanager forgets
//
// It holds alerts in memory, and expects its clients to repeat them for as long
// as they fire. So every alert is sent again every minute
// ([Alertmanager.Refresh]), and its end is set to a day ahead, not to the default
// of five minutes: a daemon that is down for an hour must not look like a leak
// that is over. A resolved incident is sent with the end it had. When a ticket
// becomes a page, the alert with the old severity is ended.
//
// Several URLs are the members of one cluster: an alert goes to each, because
// they do not share alerts, and is delivered when one of them has it.
package alertmanager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"crosstalk/alerting"
	"crosstalk/internal/secret"
)

// Options are the options of an Alertmanager.
type Options struct {
	Name string // in the configuration
	// URLs are the base addresses of the members, without /api/v2.
	URLs []string
	// Username and Password, or Token, if it wants them.
	Username string
	Password secret.Value
	Token    secret.Value
	// Labels are added to every alert, for routing.
	Labels map[string]string
	// External is the address of the daemon's own pages, for links.
	External string
	// Every is how often open incidents are sent again; 0 means a minute.
	Every time.Duration
	// HTTP are the options of the connection.
	HTTP alerting.SenderOptions
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// ahead is how far in the future the end of a firing alert is set.
const ahead = 24 * time.Hour

// Alertmanager is an [alerting.Refresher].
type Alertmanager struct {
	o      Options
	urls   []secret.Value
	sender *alerting.Sender
}

var _ alerting.Refresher = (*Alertmanager)(nil)

// New returns a notifier for the members of one cluster. An error says which
// option is wrong.
func New(o Options) (*Alertmanager, error) {
	if o.Name == "" {
		o.Name = "alertmanager"
	}
	if len(o.URLs) == 0 {
		return nil, fmt.Errorf("notifier %s: urls: name at least one", o.Name)
	}
	a := &Alertmanager{}
	for i, base := range o.URLs {
		u, err := url.Parse(base)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("notifier %s: urls[%d]: want http:// or https:// and a host", o.Name, i)
		}
		if u.User != nil {
			return nil, fmt.Errorf("notifier %s: urls[%d]: put user and password into their own options", o.Name, i)
		}
		a.urls = append(a.urls, secret.New(strings.TrimRight(base, "/")+"/api/v2/alerts"))
	}
	if o.Every <= 0 {
		o.Every = time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.HTTP.Secrets = append([]secret.Value{o.Password, o.Token}, o.HTTP.Secrets...)
	a.o, a.sender = o, alerting.NewSender(o.Name, o.HTTP)
	return a, nil
}

// Name is the name of the notifier in the configuration.
func (a *Alertmanager) Name() string { return a.o.Name }

// RefreshEvery is how often Refresh is to be called.
func (a *Alertmanager) RefreshEvery() time.Duration { return a.o.Every }

// Notify posts the alert of a page.
func (a *Alertmanager) Notify(ctx context.Context, p alerting.Page) error {
	i := p.Incident
	alerts := []Alert{a.alert(i, i.Severity, p.At)}
	if i.Severity == alerting.SeverityPage && !i.Escalated.IsZero() {
		// It may have been raised as a ticket.
		old := a.alert(i, alerting.SeverityTicket, p.At)
		old.EndsAt = i.Escalated
		alerts = append(alerts, old)
	}
	return a.post(ctx, alerts)
}

// Refresh posts the alert of every open incident again.
func (a *Alertmanager) Refresh(ctx context.Context, open []alerting.Incident) error {
	var alerts []Alert
	for _, i := range open {
		alerts = append(alerts, a.alert(i, i.Severity, a.o.Now()))
	}
	if len(alerts) == 0 {
		return nil
	}
	return a.post(ctx, alerts)
}

// Alert is an alert of API v2.
type Alert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL,omitempty"`
}

// alert is the alert of an incident at a time.
func (a *Alertmanager) alert(i alerting.Incident, severity alerting.Severity, at time.Time) Alert {
	al := Alert{
		Labels: map[string]string{}, StartsAt: i.Opened, EndsAt: at.Add(ahead),
		Annotations: map[string]string{
			"summary":     i.Summary,
			"description": description(i),
			"runbook":     i.RunbookName(),
		},
	}
	for k, v := range a.o.Labels {
		al.Labels[k] = v
	}
	al.Labels["alertname"] = alertname(i.Kind)
	al.Labels["target"] = i.Target
	al.Labels["kind"] = string(i.Kind)
	al.Labels["severity"] = string(severity)
	al.Labels["dedup"] = i.DedupKey
	if i.State == alerting.StateResolved {
		al.EndsAt = i.Resolved
	}
	if a.o.External != "" {
		al.GeneratorURL = strings.TrimRight(a.o.External, "/") + "/incidents/" + i.ID.String()
	}
	return al
}

func alertname(k alerting.Kind) string {
	if _, ok := k.Damage(); ok {
		return "CrosstalkDamaged"
	}
	if k == "" {
		return "Crosstalk"
	}
	return "Crosstalk" + strings.ToUpper(string(k[:1])) + string(k[1:])
}

// description says what is known beyond the summary: counts and names.
func description(i alerting.Incident) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Incident %s, open since %s.", i.ID, i.Opened.Format(time.RFC3339))
	if i.Sightings > 0 {
		fmt.Fprintf(&b, " Exchanges: %d, the first %s.", i.Sightings, i.FirstExchange)
	}
	if len(i.Checks) > 0 {
		fmt.Fprintf(&b, " Checks: %s.", strings.Join(i.Checks, ", "))
	}
	if len(i.Tenants) > 0 {
		fmt.Fprintf(&b, " Tenants: %s.", strings.Join(i.Tenants, ", "))
	}
	if i.Reason != "" {
		fmt.Fprintf(&b, " Reason: %s.", i.Reason)
	}
	return b.String()
}

// post sends alerts to every member at once. One that has them is enough.
func (a *Alertmanager) post(ctx context.Context, alerts []Alert) error {
	body, err := json.Marshal(alerts)
	if err != nil {
		return &alerting.DeliveryError{Notifier: a.o.Name, Reason: alerting.ReasonRefused, Err: fmt.Errorf("encode the alerts: %w", err)}
	}
	h := a.header()
	errs := make([]error, len(a.urls))
	var wg sync.WaitGroup
	for i, u := range a.urls {
		wg.Go(func() { errs[i] = a.sender.Post(ctx, u, h, body) })
	}
	wg.Wait()
	return best(errs)
}

func (a *Alertmanager) header() http.Header {
	h := http.Header{}
	switch {
	case !a.o.Token.IsEmpty():
		h.Set("Authorization", "Bearer "+a.o.Token.Reveal())
	case a.o.Username != "":
		r := http.Request{Header: h}
		r.SetBasicAuth(a.o.Username, a.o.Password.Reveal())
	}
	return h
}

// best is nil if any member has the alerts, else the error that gives most
// reason to hope.
func best(errs []error) error {
	var best error
	for _, err := range errs {
		if err == nil {
			return nil
		}
		var d *alerting.DeliveryError
		if best == nil || errors.As(err, &d) && d.Retryable {
			best = err
		}
	}
	return best
}
