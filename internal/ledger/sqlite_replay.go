package ledger

import (
	"context"
)

// Replay implements Ledger.
func (l *SQLite) Replay(ctx context.Context, deferred []Deferred) error {
	err := l.change(ctx, "write back", func(w *writing) error {
		// The caller has told of these pages already.
		defer func() { w.pages = nil }()
		for _, d := range deferred {
			if err := w.replay(ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
	l.prompts.forget()
	return err
}

// replay does one thing that was put off. Caps are not asked: what was begun has
// been spent.
func (w *writing) replay(ctx context.Context, d Deferred) error {
	switch {
	case d.Begun != nil:
		return w.begin(ctx, *d.Begun)
	case d.Settled != nil:
		return w.keep(ctx, *d.Settled)
	case d.Ticked:
		return w.tick(ctx, d.At)
	case d.Control != nil:
		return w.control(ctx, *d.Control)
	case d.Delivered != nil:
		return w.delivered(ctx, *d.Delivered, d.At)
	case d.Failed != nil:
		return w.failed(ctx, *d.Failed, d.At)
	case d.Event != nil:
		return w.event(ctx, *d.Event)
	case d.Pause != nil:
		return w.pause(ctx, *d.Pause)
	case d.Resume != nil:
		return w.resume(ctx, *d.Resume, d.At)
	}
	for _, p := range d.Pages {
		if err := w.putPage(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
