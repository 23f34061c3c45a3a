package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"crosstalk/corpus"
	"crosstalk/internal/report"
	"crosstalk/tenants"
)

// maxAttributed bounds the text that attribute reads.
const maxAttributed = 64 << 20

// minFragment is the shortest run of marker words worth showing.
const minFragment = 5

func newAttribute(e *env) *cobra.Command {
	var (
		key    keyFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "attribute [FILE]",
		Short: "say whose marker is in a text, from when, with what chance of accident",
		Long: `attribute reads a text (from FILE or standard input: a pasted answer, a support
ticket, a log) and names every marker of this fleet in it: the tenant, the
second it was sent, which marker of its prompt it is, and the chance that a text
made without the fleet key would show it.

Locators and runs of marker words are shown as hints: they name candidates and
prove nothing.

Exit codes: 0 at least one marker was verified, 3 none was, or the text could
not be read to its end, 2 usage.`,
		Example: `  crosstalk attribute --fleet-key file:./fleet.key ticket.txt
  pbpaste | crosstalk attribute --fleet-key env:FLEET_KEY --json`,
		Args: atMostOneArg,
		RunE: func(_ *cobra.Command, args []string) error {
			codec, err := key.required(e)
			if err != nil {
				return err
			}
			in, err := e.open(argument(args))
			if err != nil {
				return openError("text", err, "name a file, or - for standard input")
			}
			defer in.Close()
			text, err := orInterrupted(e, func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, maxAttributed+1)) })
			if errors.Is(err, errInterrupted) {
				return fmt.Errorf("read text: %w, so nothing was looked for", err)
			}
			if err != nil {
				return fmt.Errorf("read text: %w", err)
			}
			if len(text) > maxAttributed {
				return usageError(fmt.Errorf("the text is over %d MiB", maxAttributed>>20), "cut it around the passage in question")
			}
			if len(bytes.TrimSpace(text)) == 0 {
				fmt.Fprintln(e.stderr, "crosstalk: note: the text is empty")
			}
			a := attribute(codec, string(text))
			if asJSON {
				enc := json.NewEncoder(e.stdout)
				enc.SetIndent("", "  ")
				err = enc.Encode(a)
			} else {
				err = a.text(e.stdout)
			}
			if err != nil {
				return fmt.Errorf("write attribution: %w", err)
			}
			if len(a.Markers) == 0 {
				return withVerdict(report.ExitInconclusive)
			}
			return nil
		},
	}
	key.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// attribution is what is ours in a text.
type attribution struct {
	Markers   []attributedMarker `json:"markers"`
	Locators  []attributedHint   `json:"locators"`
	Fragments []attributedHint   `json:"fragments"`
}

type attributedMarker struct {
	Tenant  uint16       `json:"tenant"`
	Sent    time.Time    `json:"sent"`
	Draw    uint16       `json:"draw"`
	Marker  int          `json:"marker"` // number in its prompt, from 1
	Dress   corpus.Dress `json:"dress"`
	Edit    tenants.Edit `json:"edit"`
	Offset  int          `json:"offset"`
	Length  int          `json:"length"`
	PChance float64      `json:"p_chance"`
}

// attributedHint is a passage that may be ours.
type attributedHint struct {
	Offset  int    `json:"offset"`
	Length  int    `json:"length"`
	Words   int    `json:"words,omitempty"`
	Request uint16 `json:"request_hash,omitempty"`
	Page    int    `json:"page,omitempty"`
}

func attribute(codec *tenants.Codec, text string) attribution {
	a := attribution{Markers: []attributedMarker{}, Locators: []attributedHint{}, Fragments: []attributedHint{}}
	hits := codec.Find(text)
	for _, h := range hits {
		a.Markers = append(a.Markers, attributedMarker{
			Tenant: h.Payload.Tenant, Sent: h.Payload.Time(), Draw: h.Payload.Draw, Marker: int(h.Payload.Index) + 1,
			Dress: h.Dress, Edit: h.Edit, Offset: h.Start, Length: h.End - h.Start, PChance: h.PChance,
		})
	}
	for _, l := range corpus.FindLocators(text) {
		a.Locators = append(a.Locators, attributedHint{Offset: l.Start, Length: l.End - l.Start, Request: l.Request, Page: l.Page})
	}
	for _, r := range tenants.Runs(text, minFragment) {
		if !within(hits, r) {
			a.Fragments = append(a.Fragments, attributedHint{Offset: r.Start, Length: r.End - r.Start, Words: r.Words})
		}
	}
	return a
}

// within reports whether the run is part of a verified marker.
func within(hits []tenants.Hit, r tenants.Run) bool {
	for _, h := range hits {
		if r.Start < h.End && h.Start < r.End {
			return true
		}
	}
	return false
}

func (a attribution) text(w io.Writer) error {
	var err error
	printf := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, args...)
		}
	}
	for _, m := range a.Markers {
		printf("marker %d of a request of tenant %d sent %s (draw %d), %s, at byte %d; chance of accident %.1g\n",
			m.Marker, m.Tenant, m.Sent.UTC().Format(time.RFC3339), m.Draw, m.Edit, m.Offset, m.PChance)
	}
	for _, l := range a.Locators {
		printf("hint: a locator at byte %d names page %d of a prompt with request hash %04x; it proves nothing by itself\n", l.Offset, l.Page, l.Request)
	}
	for _, f := range a.Fragments {
		printf("hint: %d words of the marker list in a row at byte %d, not a whole marker\n", f.Words, f.Offset)
	}
	if len(a.Markers) == 0 {
		printf("no marker of this fleet key is in the text\n")
	}
	return err
}
