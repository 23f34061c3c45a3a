package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"crosstalk/alerting"
	"crosstalk/alerting/alertmanager"
	"crosstalk/alerting/heartbeat"
	"crosstalk/alerting/webhook"
	"crosstalk/internal/config"
	"crosstalk/internal/metrics"
	"crosstalk/internal/pipeline"
	"crosstalk/internal/scheduler"
	"crosstalk/internal/secret"
	"crosstalk/probes"
)

// live is a configuration with everything made of it that a reload replaces. It
// is not changed once it is in use.
type live struct {
	cfg     *config.Config
	sites   map[string]*pipeline.Site
	entries []scheduler.Entry
	every   map[string]map[string]time.Duration // longest gap by target and kind of probe
	perYear map[string]map[string]float64       // rounds in a year by target and kind of probe
	names   map[uint16]string                   // tenants by index
}

// newLive makes the sites and schedules of a configuration. Nothing is sent and
// no secret is read.
func newLive(cfg *config.Config, now time.Time) (*live, error) {
	l := &live{
		cfg: cfg, sites: map[string]*pipeline.Site{}, names: map[uint16]string{},
		every: map[string]map[string]time.Duration{}, perYear: map[string]map[string]float64{},
	}
	for i, t := range cfg.Targets {
		site, err := newSite(cfg, t)
		if err != nil {
			return nil, err
		}
		l.sites[t.Name] = site
		l.every[t.Name], l.perYear[t.Name] = map[string]time.Duration{}, map[string]float64{}
		for _, a := range site.Tenants {
			l.names[a.Index] = a.Name
		}
		quiet, err := quietHours(cfg, i)
		if err != nil {
			return nil, err
		}
		for j := range cfg.Probes {
			if err := l.schedule(j, site, quiet, now); err != nil {
				return nil, err
			}
		}
	}
	if len(l.entries) == 0 {
		return nil, usageError(fmt.Errorf("%s schedules no probe", cfg.Path), "give probes an interval, for example: {kind: pulse, every: 1m}")
	}
	return l, nil
}

func quietHours(cfg *config.Config, i int) ([]scheduler.Quiet, error) {
	var all []scheduler.Quiet
	for j, text := range cfg.Targets[i].Quiet {
		q, err := scheduler.ParseQuiet(text, cfg.Targets[i].Timezone)
		if err != nil {
			return nil, usageError(cfg.ProblemAt(fmt.Sprintf("targets[%d].quiet[%d]", i, j), err.Error(), `write it like "22:00-06:00" or "sat,sun 00:00-24:00", and timezone like Europe/Berlin`), "")
		}
		all = append(all, q)
	}
	return all, nil
}

// schedule adds the entry of one probe line and one site, if the line has a
// schedule.
func (l *live) schedule(i int, site *pipeline.Site, quiet []scheduler.Quiet, now time.Time) error {
	p := l.cfg.Probes[i]
	if !p.Scheduled() {
		return nil
	}
	s, err := scheduler.Parse(scheduler.Spec{
		Every: config.Interval(p.Every), Cron: p.Cron, Timezone: p.Timezone,
		Key: scheduler.Key(p.Called(), site.Target.Name, l.cfg.Instance),
	})
	if err != nil {
		key, mend := "cron", `write minute, hour, day of month, month and day of week, for example: "*/20 * * * *"`
		if p.Cron == "" {
			key, mend = "every", "write it like: 20m"
		}
		return usageError(l.cfg.ProblemAt(fmt.Sprintf("probes[%d].%s", i, key), err.Error(), mend), "")
	}
	probe, err := probeKind(p.Kind, p.Size)
	if err != nil {
		return usageError(err, "")
	}
	if top, ok := probe.(probes.Top); ok {
		top.ColdEvery = p.ColdEvery
		probe = top
	}
	if _, err := probe.Plan(0, probes.State{Target: site.Target, Tenants: site.Tenants, Now: now}); errors.Is(err, probes.ErrNotAllowed) {
		return usageError(l.cfg.ProblemAt(fmt.Sprintf("probes[%d]", i), err.Error(), "remove the probe, or have the authorization widened"), "")
	}
	l.entries = append(l.entries, scheduler.Entry{Name: p.Called(), Probe: probe, Site: site, Schedule: s, Quiet: quiet})
	first := s.Next(now)
	gap := s.Next(first).Sub(first)
	every := l.every[site.Target.Name]
	every[p.Kind] = max(every[p.Kind], gap)
	const year = 365 * 24 * time.Hour
	l.perYear[site.Target.Name][p.Kind] += float64(year) / float64(gap)
	return nil
}

// silences are the announced times in which targets are left alone.
func (l *live) silences() []scheduler.Silence {
	var all []scheduler.Silence
	for _, s := range l.cfg.Silences {
		all = append(all, scheduler.Silence{Target: s.Target, From: s.From.Time, Until: s.Until.Time, Reason: s.Reason})
	}
	return all
}

func (l *live) close() {
	for _, s := range l.sites {
		s.Close()
	}
}

// kind is the kind of probe of a schedule, by which everything is counted: two
// schedules of one kind and different names are one row of a dashboard.
func (l *live) kind(schedule string) string {
	for _, e := range l.entries {
		if e.Name == schedule {
			return e.Probe.Kind()
		}
	}
	return schedule
}

// next is when each kind of probe is due next at a target, by what of says of
// a schedule.
func (l *live) next(target string, of func(schedule, target string) (time.Time, bool)) map[string]time.Time {
	soonest := map[string]time.Time{}
	for _, e := range l.entries {
		if e.Site.Target.Name != target {
			continue
		}
		kind := e.Probe.Kind()
		at, ok := of(e.Name, target)
		if first, seen := soonest[kind]; ok && (!seen || at.Before(first)) {
			soonest[kind] = at
		}
	}
	return soonest
}

func (l *live) targets() []string { return slices.Sorted(mapKeys(l.sites)) }

// pricing is what a target costs; the zero value for one that is gone.
func (l *live) pricing(target string) probes.Pricing {
	if s := l.sites[target]; s != nil {
		return s.Target.Pricing
	}
	return probes.Pricing{}
}

// policy is the paging policy of a target. The false pages that are accepted in
// a year are those of all targets together, so each gets an equal share.
func (l *live) policy(target string, deployed time.Time, controls time.Duration) alerting.Policy {
	p := alerting.Policy{
		FalsePagesPerYear: l.cfg.Paging.FalsePagesPerYear / float64(max(len(l.sites), 1)),
		RepeatEvery:       config.Interval(l.cfg.Paging.RepeatEvery),
		EscalateAfter:     config.Interval(l.cfg.Paging.EscalateAfter),
		DeployedUntil:     deployed, ControlEvery: controls, Tenants: l.names,
		Probes: map[string]alerting.Schedule{},
	}
	for kind, every := range l.every[target] {
		p.Probes[kind] = alerting.Schedule{Every: every, PerYear: l.perYear[target][kind]}
	}
	return p
}

// routes are the receivers and which pages each is to get.
func (l *live) routes() []alerting.Route {
	var all []alerting.Route
	for _, n := range l.cfg.Notify {
		all = append(all, alerting.Route{Notifier: n.Called(), PagesOnly: n.PagesOnly, EscalatedOnly: n.EscalatedOnly})
	}
	return all
}

// static is what the metrics catalogue prepares its series for.
func (l *live) static() metrics.Static {
	s := metrics.Static{Version: version(), Controls: controlNames(), DeliveryReasons: alerting.Reasons()}
	for _, r := range scheduler.Reasons() {
		s.SkipReasons = append(s.SkipReasons, string(r))
	}
	for _, name := range l.targets() {
		site := l.sites[name]
		t := metrics.Target{Name: name}
		if !site.Target.Loopback {
			t.AuthorizationExpires = site.Target.Authorization.Expires
		}
		for _, kind := range sortedKeys(l.every[name]) {
			t.Probes = append(t.Probes, metrics.Schedule{Probe: kind, Every: l.every[name][kind]})
		}
		s.Targets = append(s.Targets, t)
	}
	for _, n := range l.cfg.Notify {
		s.Notifiers = append(s.Notifiers, n.Called())
	}
	return s
}

// notifiers makes a notifier for each receiver: what a kind of the
// configuration stands for.
func (l *live) notifiers(external string) ([]alerting.Notifier, error) {
	var all []alerting.Notifier
	for i, n := range l.cfg.Notify {
		made, err := newNotifier(l.cfg, n, external)
		if err != nil {
			return nil, usageError(l.cfg.ProblemAt(fmt.Sprintf("notify[%d]", i), err.Error(), "correct the receiver"), "")
		}
		all = append(all, made)
	}
	return all, nil
}

func newNotifier(cfg *config.Config, n config.Notify, external string) (alerting.Notifier, error) {
	address, err := cfg.Address(n.URL)
	if err != nil {
		return nil, err
	}
	switch n.Kind {
	case "webhook":
		key, err := cfg.Secret(n.Secret)
		if err != nil {
			return nil, err
		}
		return webhook.New(webhook.Options{Name: n.Called(), URL: address, Secret: key, External: external})
	case "alertmanager":
		token, err := cfg.Secret(n.Token)
		if err != nil {
			return nil, err
		}
		return alertmanager.New(alertmanager.Options{
			Name: n.Called(), URLs: []string{address.Reveal()}, Token: token, External: external,
			HTTP: alerting.SenderOptions{Secrets: []secret.Value{address}},
		})
	default:
		return nil, fmt.Errorf("no notifier of kind %q", n.Kind)
	}
}

// heart makes the heartbeat; nil if none is configured. fresh is how old the
// last round may be.
func (l *live) heart(alive func(time.Time) error, sent func(error)) (*heartbeat.Heart, error) {
	h := l.cfg.Heartbeat
	if h == nil {
		return nil, nil
	}
	address, err := l.cfg.Secret(h.URL)
	if err != nil {
		return nil, usageError(l.cfg.ProblemAt("heartbeat.url", err.Error(), "put the address there"), "")
	}
	often := time.Duration(0)
	for _, every := range l.every {
		for _, d := range every {
			if often == 0 || d < often {
				often = d
			}
		}
	}
	interval := config.Interval(h.Every)
	made, err := heartbeat.New(heartbeat.Options{URL: address, Every: interval, Fresh: 3 * max(interval, often), Alive: alive, Sent: sent})
	if err != nil {
		return nil, usageError(l.cfg.ProblemAt("heartbeat", err.Error(), "correct it"), "")
	}
	return made, nil
}

// sameForLife reports what of the configuration cannot change without a
// restart and did; "" if nothing.
func (l *live) sameForLife(next *live) string {
	switch a, b := l.cfg, next.cfg; {
	case a.Store != b.Store:
		return "store"
	case a.Instance != b.Instance:
		return "instance"
	case !slices.Equal(a.FleetKeys, b.FleetKeys):
		return "fleet_keys"
	case !slices.Equal(a.Notify, b.Notify):
		return "notify"
	case (a.Heartbeat == nil) != (b.Heartbeat == nil) || a.Heartbeat != nil && *a.Heartbeat != *b.Heartbeat:
		return "heartbeat"
	case a.StopFile != b.StopFile:
		return "stop_file"
	}
	return ""
}
