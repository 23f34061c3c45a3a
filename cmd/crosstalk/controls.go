package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"crosstalk/internal/simulator"
)

// The controls of the prober itself: a built-in engine with the seed fault,
// which must be caught, and a sound one, which must raise nothing. A prober that
// sees nothing anywhere fails the first, one that sees ghosts the second.
const (
	controlSeeded = "seeded"
	controlNull   = "null"
)

func controlNames() []string { return []string{controlNull, controlSeeded} }

func isControl(target string) bool { return slices.Contains(controlNames(), target) }

// controlWindow is the window of the controls' engines: large enough for the
// whole path, small enough to cost nothing.
const controlWindow = 32768

// controlArm is the demo's arm that a control is.
func controlArm(name string) demoArm {
	for _, arm := range demoArms() {
		if arm.preset == simulator.PresetFaulty && arm.strangers == 0 && name == controlSeeded ||
			arm.preset == simulator.PresetFixed && name == controlNull {
			return arm
		}
	}
	panic("no control is called " + name) // the names are constants above
}

// runControls runs both controls at once and then every so often, until ctx
// ends.
func (d *daemon) runControls(ctx context.Context) {
	t := time.NewTicker(d.flags.controlsEvery)
	defer t.Stop()
	for {
		for _, name := range controlNames() {
			d.runControl(ctx, name)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// runControl runs one control and records whether it did what it must. The path
// is that of every probe, but for the store: a control's rounds are not the
// fleet's.
func (d *daemon) runControl(ctx context.Context, name string) {
	f := &demoFlags{reuse: string(simulator.ReuseLIFO), window: controlWindow, speed: 200, seed: uint64(d.env.now().UnixNano())}
	quiet := *d.env
	quiet.terminal = false
	p := newProgress(&quiet)
	r, err := f.run(ctx, &quiet, controlArm(name), p)
	p.end()
	if ctx.Err() != nil {
		return
	}
	right, detail := err == nil && r.Right, ""
	switch {
	case err != nil:
		detail = err.Error()
	case !right:
		detail = r.Wrong
	}
	now := d.env.now()
	d.metrics.Control(name, right, now)
	if !right {
		d.log.Error("control failed: the prober is broken", "control", name, "detail", detail)
	}
	if err := d.ledger.Control(ctx, name, right, fmt.Sprintf("control %s: %s", name, detail), now); err != nil {
		d.log.Error("control not recorded", "control", name, "err", err)
	}
}
