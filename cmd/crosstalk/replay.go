package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"crosstalk/checks"
	"crosstalk/internal/evidence"
	"crosstalk/internal/ledger"
	"crosstalk/internal/report"
	"crosstalk/tenants"
)

func newReplay(e *env) *cobra.Command {
	var (
		flags      configFlags
		key        keyFlags
		identities identityFlags
		which      whichEvidence
		by         string
	)
	cmd := &cobra.Command{
		Use:   "replay [EVIDENCE...]",
		Short: "judge sealed rounds again, with the checks of this version",
		Long: `replay opens sealed rounds and judges them from scratch: the bytes are decoded
anew, the prompts are rebuilt from the fleet key they were sent under, and every
check runs. It writes one JSON object a line for each exchange:

  {"round", "exchange", "was", "verdict", "findings": [...]}

"was" is what it was called when it was kept. Evidence is named by its id or as
a file; without a name all of it is taken, or that of --incident. Each opening is
recorded in the ledger. With --fleet-key no configuration is read, evidence is
named by file, and nothing is recorded.

What cannot be opened or judged becomes {"evidence", "error"} and the run goes on.

Exit codes, as of inspect: 4 any leak or foreign, else 1 any damaged, else 3
any error, inconclusive or nothing judged, else 0; 2 usage.`,
		Example: `  crosstalk replay --identity ~/crosstalk-identity.txt --incident 01a2...
  crosstalk replay -i identity.txt --fleet-key file:./fleet.key 01a2....evidence`,
		RunE: func(cmd *cobra.Command, args []string) error {
			noCoreDumps(discardLog())
			ids, err := identities.read()
			if err != nil {
				return err
			}
			r := &replayer{opener: opener{env: e, identities: ids, by: person(by), what: "replay"}, out: json.NewEncoder(e.stdout), classes: map[checks.Class]int{}}
			r.out.SetEscapeHTML(false)
			if key.ref != "" {
				return r.files(cmd.Context(), &key, &which, args)
			}
			return operateOn(cmd.Context(), e, &flags, func(l *ledger.SQLite, live *live) error {
				return r.kept(cmd.Context(), l, live, &which, args)
			})
		},
	}
	flags.addPath(cmd)
	key.add(cmd)
	identities.add(cmd)
	which.add(cmd)
	cmd.Flags().StringVar(&by, "by", "", "who replays (default: the user of this process)")
	return cmd
}

// discardLog is for what a one-shot command does not report.
func discardLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// replayer judges evidence again and writes what comes out.
type replayer struct {
	opener
	codec   *tenants.Codec
	out     *json.Encoder
	classes map[checks.Class]int
	bad     int
	changed int
}

// replayOut is a line of the result.
type replayOut struct {
	Round    uuid.UUID        `json:"round"`
	Exchange uuid.UUID        `json:"exchange"`
	Was      checks.Class     `json:"was"`
	Verdict  checks.Class     `json:"verdict"`
	Findings []inspectFinding `json:"findings"`
}

// shownFinding is a finding as inspect and replay write it.
func shownFinding(f checks.Finding) inspectFinding {
	var chance *float64
	if f.PChance > 0 {
		chance = &f.PChance
	}
	return inspectFinding{
		Check: f.Check, Kind: f.Kind, Class: f.Class, Channel: f.Channel,
		Offset: f.Offset, Length: f.Length, PChance: chance, Detail: f.Detail,
	}
}

// replayBad is the result for evidence that cannot be judged.
type replayBad struct {
	Evidence string `json:"evidence"`
	Error    string `json:"error"`
}

// files judges evidence that is named by file, without a configuration.
func (r *replayer) files(ctx context.Context, key *keyFlags, which *whichEvidence, names []string) error {
	if len(names) == 0 || which.incident != "" || which.target != "" {
		return usageError(errors.New("with --fleet-key evidence is named by file"), "name files that end in "+evidence.Suffix)
	}
	codec, err := key.required(r.env)
	if err != nil {
		return err
	}
	fmt.Fprintln(r.env.stderr, "crosstalk: note: without a configuration there is no ledger that records this opening")
	r.codec = codec
	return r.run(ctx, names)
}

// kept judges evidence of the daemon's folder, or files, and records it.
func (r *replayer) kept(ctx context.Context, l *ledger.SQLite, live *live, which *whichEvidence, names []string) error {
	codec, err := daemonCodec(live.cfg)
	if err != nil {
		return err
	}
	r.codec, r.ledger, r.folder = codec, l, evidence.NewFolder(live.cfg.EvidencePath())
	if len(names) == 0 {
		rows, err := which.list(ctx, l, live)
		if err != nil {
			return err
		}
		for _, row := range rows {
			names = append(names, row.ID.String())
		}
	}
	return r.run(ctx, names)
}

// run judges each of the named pieces and ends with the verdict on all.
func (r *replayer) run(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := r.one(ctx, name); err != nil {
			return fmt.Errorf("write the result of %s: %w", name, err)
		}
	}
	judged := 0
	for _, n := range r.classes {
		judged += n
	}
	fmt.Fprintf(r.env.stderr, "crosstalk: %s judged again, %d came out otherwise than they were called\n", report.Plural(judged, "exchange"), r.changed)
	if r.bad > 0 {
		fmt.Fprintf(r.env.stderr, "crosstalk: note: %d of %s could not be judged\n", r.bad, report.Plural(len(names), "piece"))
	}
	switch {
	case r.classes[checks.Leak]+r.classes[checks.Foreign] > 0:
		return withVerdict(report.ExitLeak)
	case r.classes[checks.Damaged] > 0:
		return withVerdict(report.ExitDamaged)
	case r.bad > 0 || r.classes[checks.Inconclusive] > 0 || judged == 0:
		return withVerdict(report.ExitInconclusive)
	}
	return nil
}

// one judges one piece; an error says that the result could not be written.
func (r *replayer) one(ctx context.Context, name string) error {
	record, err := r.open(ctx, name)
	var again checks.Report
	if err == nil {
		again, err = record.Judge(r.codec, parseAnswer, checks.All())
	}
	if err != nil {
		r.bad++
		return r.out.Encode(replayBad{Evidence: name, Error: keyHint(err).Error()})
	}
	for _, x := range record.Exchanges {
		out := replayOut{Round: record.Label.ID, Exchange: x.ID, Was: record.Report.Verdict(x.ID), Verdict: again.Verdict(x.ID), Findings: []inspectFinding{}}
		for _, f := range again.Findings {
			if f.Exchange == x.ID && f.Class != checks.Sound {
				out.Findings = append(out.Findings, shownFinding(f))
			}
		}
		if out.Was != out.Verdict {
			r.changed++
		}
		r.classes[out.Verdict]++
		if err := r.out.Encode(out); err != nil {
			return err
		}
	}
	return nil
}

// keyHint says what to do about a key that is not at hand.
func keyHint(err error) error {
	if errors.Is(err, evidence.ErrKey) {
		return fmt.Errorf("%w: add it to fleet_keys, after the newest, or name it with --fleet-key", err)
	}
	return err
}
