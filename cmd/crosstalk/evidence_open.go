package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"crosstalk/checks"
	"crosstalk/internal/evidence"
	"crosstalk/internal/ledger"
)

// opener opens evidence: by its id from the folder of a configuration, whose
// ledger records who opened it, or by the path of a file.
type opener struct {
	env        *env
	identities []age.Identity
	by         string
	what       string         // the command, for the record
	ledger     *ledger.SQLite // nil: files only
	folder     *evidence.Folder
}

// open opens one piece of evidence. That it is opened is recorded first.
func (o *opener) open(ctx context.Context, name string) (*evidence.Record, error) {
	data, err := o.read(name)
	if err != nil {
		return nil, err
	}
	label, _, err := evidence.ParseEnvelope(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if o.ledger != nil {
		err := o.ledger.Record(ctx, ledger.Event{
			At: o.env.now(), Kind: ledger.EventEvidence, Target: label.Target, Probe: label.Probe,
			Reason: ledger.EvidenceOpened, Detail: fmt.Sprintf("round %s by %s", label.ID, o.what), By: o.by,
		})
		if err != nil {
			return nil, fmt.Errorf("evidence %s was not opened, since that could not be recorded: %w", label.ID, err)
		}
	}
	return evidence.Open(data, o.identities...)
}

func (o *opener) read(name string) ([]byte, error) {
	id, notID := uuid.Parse(name)
	if notID == nil && o.folder != nil {
		return o.folder.Read(id)
	}
	data, err := os.ReadFile(name)
	switch {
	case err == nil:
		return data, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case notID == nil:
		return nil, fmt.Errorf("%w: without a configuration evidence is named by file", err)
	case o.folder != nil:
		return nil, fmt.Errorf("%w, and it is not the id of evidence, like %s", err, exampleID)
	}
	return nil, err
}

// evidenceError makes an error of evidence one that says what to do.
func evidenceError(err error) error {
	switch {
	case errors.Is(err, evidence.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return usageError(err, "'crosstalk evidence list' shows what there is; what is past its retention is deleted")
	case errors.Is(err, evidence.ErrSealed):
		return usageError(err, "name the identity file of a recipient that was configured when it was sealed")
	case errors.Is(err, evidence.ErrEnvelope):
		return usageError(err, "name evidence by its id, or a file that ends in "+evidence.Suffix)
	case errors.Is(err, evidence.ErrDamaged):
		return fmt.Errorf("%w: restore the file from a copy, if there is one", err)
	}
	return err
}

// identityFlags name the identity files.
type identityFlags struct{ paths []string }

func (i *identityFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&i.paths, "identity", "i", nil, "age identity file that opens the evidence; repeatable")
}

func (i *identityFlags) read() ([]age.Identity, error) {
	if len(i.paths) == 0 {
		return nil, usageError(errors.New("no identity: evidence is sealed, and the daemon's own key does not open it"),
			"name the file with --identity; 'crosstalk evidence keygen' makes one, for evidence that is sealed from then on")
	}
	var all []age.Identity
	for _, path := range i.paths {
		list, err := evidence.ReadIdentities(path)
		if err != nil {
			return nil, usageError(err, "name an age identity file of mode 0600")
		}
		all = append(all, list...)
	}
	return all, nil
}

func newEvidenceOpen(e *env) *cobra.Command {
	var (
		flags      configFlags
		identities identityFlags
		by, output string
		reveal     bool
	)
	cmd := &cobra.Command{
		Use:   "open EVIDENCE",
		Short: "open a sealed round; the opening is recorded",
		Long: `open opens a sealed round, named by its id or as a file, and writes it as JSON.

Without --reveal the answers are left out: what is shown is who sent what, and
what the checks said. With it they are written whole. An answer may hold a
stranger's private data: write it to a file of your own with -o (mode 0600), and
delete that when you are done.`,
		Args: oneEvidence,
		RunE: func(cmd *cobra.Command, args []string) error {
			noCoreDumps(discardLog())
			ids, err := identities.read()
			if err != nil {
				return err
			}
			return operateOn(cmd.Context(), e, &flags, func(l *ledger.SQLite, live *live) error {
				o := &opener{
					env: e, identities: ids, by: person(by), what: "evidence open", ledger: l,
					folder: evidence.NewFolder(live.cfg.EvidencePath()),
				}
				record, err := o.open(cmd.Context(), args[0])
				if err != nil {
					return evidenceError(err)
				}
				view, err := viewOf(record, reveal)
				if err != nil {
					return err
				}
				return writePrivate(e, output, view)
			})
		},
	}
	flags.addPath(cmd)
	identities.add(cmd)
	cmd.Flags().StringVar(&by, "by", "", "who opens (default: the user of this process)")
	cmd.Flags().BoolVar(&reveal, "reveal", false, "write the answers too")
	cmd.Flags().StringVarP(&output, "output", "o", "", "new file to write to, mode 0600 (default: standard output)")
	return cmd
}

func oneEvidence(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError(fmt.Errorf("%s takes one piece of evidence, got %d arguments", cmd.CommandPath(), len(args)), evidenceList)
	}
	return nil
}

// recordView is a record as it is shown.
type recordView struct {
	evidence.Label
	Program   string           `json:"program"`
	API       string           `json:"api"`
	Confirms  uuid.UUID        `json:"confirms,omitzero"`
	Started   time.Time        `json:"started"`
	Key       string           `json:"fleet_key"` // its id
	Exchanges []exchangeView   `json:"exchanges"`
	Findings  []checks.Finding `json:"findings"`
}

type exchangeView struct {
	ID      uuid.UUID    `json:"id"`
	Tenant  string       `json:"tenant"`
	Class   checks.Class `json:"class"`
	Tokens  int          `json:"tokens"` // predicted, of the prompt
	Skipped string       `json:"skipped,omitempty"`
	Status  int          `json:"status,omitempty"`
	Bytes   int          `json:"body_bytes"`
	// Header and the rest are shown when revealed only.
	Header    map[string][]string `json:"header,omitempty"`
	Content   string              `json:"content,omitempty"`
	Reasoning string              `json:"reasoning,omitempty"`
	Body      string              `json:"body,omitempty"`
}

// viewOf is a record to be shown, with the answers if they are to be revealed.
func viewOf(r *evidence.Record, reveal bool) (*recordView, error) {
	v := &recordView{
		Label: r.Label, Program: r.Program, API: r.API, Confirms: r.Confirms, Started: r.Started, Key: r.Key, Findings: r.Report.Findings,
	}
	for _, x := range r.Exchanges {
		w := exchangeView{ID: x.ID, Tenant: x.Intent.Tenant, Class: r.Report.Verdict(x.ID), Tokens: x.Intent.Tokens, Skipped: x.Skipped}
		if a := x.Answer; a != nil {
			w.Status, w.Bytes = a.Status, len(a.Body)
		}
		if a := x.Answer; a != nil && reveal {
			resp, err := parseAnswer(r.API, a.Status, a.Header, a.Body)
			if err != nil {
				return nil, fmt.Errorf("decode the answer of exchange %s: %w", x.ID, err)
			}
			w.Header, w.Content, w.Reasoning, w.Body = a.Header, resp.Content, resp.Reasoning, strings.ToValidUTF8(string(a.Body), "\uFFFD")
		}
		v.Exchanges = append(v.Exchanges, w)
	}
	return v, nil
}

// writePrivate writes JSON to a new file that only its owner can read, or to
// standard output.
func writePrivate(e *env, path string, v any) error {
	if path == "" {
		return writeJSON(e, v)
	}
	text, err := indented(v)
	if err != nil {
		return err
	}
	if err := writeNew(path, 0o600, text); err != nil {
		return newFileError(path, err)
	}
	return nil
}
