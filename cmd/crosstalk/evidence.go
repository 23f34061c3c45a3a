package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"crosstalk/internal/evidence"
	"crosstalk/internal/ledger"
)

func newEvidence(e *env) *cobra.Command {
	return group("evidence", "list, open and erase sealed answers, and make the key that opens them",
		newEvidenceList(e), newEvidenceOpen(e), newEvidenceErase(e), newEvidenceKeygen(e))
}

// sealedRow is a line of a list.
type sealedRow struct {
	evidence.Label
	Bytes     int64       `json:"bytes"`
	Incidents []uuid.UUID `json:"incidents"`
	Problem   string      `json:"problem,omitempty"`
}

func newEvidenceList(e *env) *cobra.Command {
	var (
		flags  configFlags
		which  whichEvidence
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list sealed rounds, oldest first; nothing is opened",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return operateOn(cmd.Context(), e, &flags, func(l *ledger.SQLite, live *live) error {
				rows, err := which.list(cmd.Context(), l, live)
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(e, rows)
				}
				return writeSealed(e, rows)
			})
		},
	}
	flags.addPath(cmd)
	which.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func writeSealed(e *env, rows []sealedRow) error {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "EVIDENCE\tAT\tTARGET\tPROBE\tCLASS\tBYTES\tINCIDENTS")
	for _, r := range rows {
		if r.Problem != "" {
			fmt.Fprintf(w, "%s\t%s\t%s\t\t\t%d\t\n", r.ID, r.At.Format(time.RFC3339), r.Problem, r.Bytes)
			continue
		}
		var incidents []string
		for _, id := range r.Incidents {
			incidents = append(incidents, id.String())
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", r.ID, r.At.Format(time.RFC3339), r.Target, r.Probe, r.Class, r.Bytes, strings.Join(incidents, " "))
	}
	return w.Flush()
}

// whichEvidence chooses sealed rounds.
type whichEvidence struct{ incident, target string }

func (w *whichEvidence) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.incident, "incident", "", "only what this incident has seen")
	cmd.Flags().StringVarP(&w.target, "target", "t", "", "only of this target")
}

// list are the sealed rounds chosen, oldest first.
func (w *whichEvidence) list(ctx context.Context, l *ledger.SQLite, live *live) ([]sealedRow, error) {
	var only uuid.UUID
	if w.incident != "" {
		id, err := parseID(w.incident, "an incident", incidentsList)
		if err != nil {
			return nil, err
		}
		if _, err := l.Incident(ctx, id); err != nil {
			return nil, err
		}
		only = id
	}
	entries, err := evidence.NewFolder(live.cfg.EvidencePath()).List()
	if err != nil {
		return nil, err
	}
	rows := []sealedRow{}
	for _, entry := range entries {
		r := sealedRow{Label: entry.Label, Bytes: entry.Bytes, Incidents: []uuid.UUID{}}
		if entry.Err != nil {
			r.Problem = entry.Err.Error()
		}
		incidents, err := l.IncidentsOf(ctx, entry.Label.ID)
		if err != nil {
			return nil, err
		}
		for _, i := range incidents {
			r.Incidents = append(r.Incidents, i.ID)
		}
		if only != uuid.Nil && !slices.Contains(r.Incidents, only) || w.target != "" && w.target != r.Target {
			continue
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func newEvidenceErase(e *env) *cobra.Command {
	var (
		flags configFlags
		which whichEvidence
		by    string
	)
	cmd := &cobra.Command{
		Use:   "erase [EVIDENCE...]",
		Short: "delete sealed rounds, by id or all of an incident; that it was done is recorded",
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) == (which.incident == "") || which.target != "" && which.incident == "" {
				return usageError(errors.New("erase takes ids, or --incident"), "'crosstalk evidence list' shows both")
			}
			ids := make([]uuid.UUID, len(args))
			for i, arg := range args {
				var err error
				if ids[i], err = parseID(arg, "evidence", evidenceList); err != nil {
					return err
				}
			}
			return operateOn(cmd.Context(), e, &flags, func(l *ledger.SQLite, live *live) error {
				if len(ids) == 0 {
					rows, err := which.list(cmd.Context(), l, live)
					if err != nil {
						return err
					}
					for _, r := range rows {
						ids = append(ids, r.ID)
					}
				}
				return erase(cmd.Context(), e, l, evidence.NewFolder(live.cfg.EvidencePath()), ids, person(by))
			})
		},
	}
	flags.addPath(cmd)
	which.add(cmd)
	cmd.Flags().StringVar(&by, "by", "", "who erases (default: the user of this process)")
	return cmd
}

// erase deletes evidence. That it is deleted is recorded first.
func erase(ctx context.Context, e *env, l *ledger.SQLite, folder *evidence.Folder, ids []uuid.UUID, by string) error {
	for _, id := range ids {
		if _, err := folder.Read(id); err != nil {
			return evidenceError(err)
		}
		err := l.Record(ctx, ledger.Event{
			At: e.now(), Kind: ledger.EventEvidence, Reason: ledger.EvidenceErased, Detail: "round " + id.String(), By: by,
		})
		if err != nil {
			return fmt.Errorf("evidence %s was not erased, since that could not be recorded: %w", id, err)
		}
		if err := folder.Erase(id); err != nil {
			return evidenceError(err)
		}
		if _, err := fmt.Fprintf(e.stdout, "erased %s\n", id); err != nil {
			return err
		}
	}
	return nil
}

func newEvidenceKeygen(e *env) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "keygen",
		Short: "make an age identity that opens evidence, and print its recipient",
		Long: `keygen writes a new age identity (a secret key, mode 0600) and prints its
recipient, which goes into the configuration:

  evidence: {recipients: [age1...]}

Keep the identity away from the daemon's machine: who has both has the answers.
age-keygen makes the same.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if output == "" {
				return usageError(errors.New("no file to write the identity to"), "name a new one with -o")
			}
			text, recipient, err := evidence.NewIdentity()
			if err != nil {
				return err
			}
			if err := writeNew(output, 0o600, text); err != nil {
				return newFileError(output, err)
			}
			_, err = fmt.Fprintln(e.stdout, recipient)
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "new file for the identity")
	return cmd
}
