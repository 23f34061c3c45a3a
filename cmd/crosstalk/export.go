package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"crosstalk/alerting"
	"crosstalk/internal/evidence"
	"crosstalk/internal/ledger"
)

func newIncidentsExport(e *env) *cobra.Command {
	var (
		flags      configFlags
		identities identityFlags
		recipients []string
		by, output string
	)
	cmd := &cobra.Command{
		Use:   "export INCIDENT",
		Short: "write an incident as JSON to hand on; sealed to a recipient also with the answers",
		Long: `export writes an incident and every exchange it has seen as JSON: times, the
provider's request ids, hashes, offsets, findings and their chances of accident.
Nothing of any answer and no secret is in it.

With --recipient it is sealed to the key of whoever is to read it (age, ASCII
armor). With --identity besides, the answers themselves are in it: they are opened,
which is recorded, and are never written other than sealed.`,
		Example: `  crosstalk incidents export 01a2... > incident.json
  crosstalk incidents export 01a2... --recipient age1... --identity identity.txt -o incident.age`,
		Args: incidentArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(identities.paths) > 0 && len(recipients) == 0 {
				return usageError(errors.New("--identity opens answers, and they are handed on sealed only"), "name whom they are for with --recipient")
			}
			x := exporter{env: e, identities: &identities, recipients: recipients, by: person(by), output: output}
			return operateOn(cmd.Context(), e, &flags, func(l *ledger.SQLite, live *live) error {
				return x.run(cmd.Context(), l, live, uuid.MustParse(args[0]))
			})
		},
	}
	flags.addPath(cmd)
	identities.add(cmd)
	cmd.Flags().StringArrayVar(&recipients, "recipient", nil, "age recipient to seal it to; repeatable")
	cmd.Flags().StringVarP(&output, "output", "o", "", "new file to write to, mode 0600 (default: standard output)")
	cmd.Flags().StringVar(&by, "by", "", "who exports (default: the user of this process)")
	return cmd
}

// incidentExport is what is handed on.
type incidentExport struct {
	Format   string            `json:"format"` // "crosstalk incident 1"
	Program  string            `json:"program"`
	Exported time.Time         `json:"exported"`
	Target   exportedTarget    `json:"target"`
	Tenants  map[uint16]string `json:"tenants"` // names by index
	Incident alerting.Incident `json:"incident"`
	// Sightings are the exchanges that the incident has seen and that are
	// still kept.
	Sightings []ledger.ExchangeRecord `json:"sightings"`
	// Answers are in a sealed export only. Missing counts the rounds whose
	// answers are not kept.
	Answers []*recordView `json:"answers,omitempty"`
	Missing int           `json:"answers_missing,omitempty"`
}

// exportedTarget is what is told of the target; nothing if it is no longer
// configured.
type exportedTarget struct {
	Name   string `json:"name"`
	API    string `json:"api,omitempty"`
	Model  string `json:"model,omitempty"`
	Window int    `json:"window,omitempty"`
}

type exporter struct {
	env        *env
	identities *identityFlags
	recipients []string
	by, output string
}

func (x *exporter) run(ctx context.Context, l *ledger.SQLite, live *live, id uuid.UUID) error {
	out := &incidentExport{
		Format: "crosstalk incident 1", Program: version(), Exported: x.env.now().UTC(), Tenants: live.names,
	}
	var err error
	if out.Incident, err = l.Incident(ctx, id); err != nil {
		return err
	}
	if out.Sightings, err = l.Sightings(ctx, id); err != nil {
		return err
	}
	out.Target = exportedTarget{Name: out.Incident.Target}
	if s := live.sites[out.Incident.Target]; s != nil {
		out.Target = exportedTarget{Name: s.Target.Name, API: s.Target.API, Model: s.Target.Model, Window: s.Target.Window}
	}
	if len(x.recipients) == 0 {
		return writePrivate(x.env, x.output, out)
	}
	sealer, err := evidence.NewSealer(x.recipients...)
	if err != nil {
		return usageError(fmt.Errorf("--recipient: %w", err), "give the recipient as age-keygen prints it, age1...")
	}
	if len(x.identities.paths) > 0 {
		if err := x.answers(ctx, l, live, out); err != nil {
			return err
		}
	}
	return x.sealed(sealer, out)
}

// answers opens the evidence of the incident.
func (x *exporter) answers(ctx context.Context, l *ledger.SQLite, live *live, out *incidentExport) error {
	noCoreDumps(discardLog())
	ids, err := x.identities.read()
	if err != nil {
		return err
	}
	o := &opener{
		env: x.env, identities: ids, by: x.by, what: "incidents export", ledger: l,
		folder: evidence.NewFolder(live.cfg.EvidencePath()),
	}
	seen := map[uuid.UUID]bool{}
	for _, s := range out.Sightings {
		if seen[s.Round] {
			continue
		}
		seen[s.Round] = true
		record, err := o.open(ctx, s.Round.String())
		if errors.Is(err, evidence.ErrNotFound) {
			out.Missing++
			continue
		}
		if err != nil {
			return evidenceError(err)
		}
		view, err := viewOf(record, true)
		if err != nil {
			return err
		}
		out.Answers = append(out.Answers, view)
	}
	return nil
}

// sealed writes the export for its recipients only.
func (x *exporter) sealed(s *evidence.Sealer, out *incidentExport) error {
	text, err := indented(out)
	if err != nil {
		return err
	}
	armored, err := s.Armor(text)
	if err != nil {
		return fmt.Errorf("seal the export: %w", err)
	}
	if x.output == "" {
		_, err := x.env.stdout.Write(armored)
		return err
	}
	if err := writeNew(x.output, 0o600, armored); err != nil {
		return newFileError(x.output, err)
	}
	return nil
}

// indented is v as JSON for a person.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
