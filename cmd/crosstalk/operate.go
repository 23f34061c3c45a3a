package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/user"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"crosstalk/alerting"
	"crosstalk/dashboards"
	"crosstalk/internal/ledger"
)

// These commands work on the ledger of a daemon, running or not: they write to
// its file, and the daemon sees it within a second.

// attach opens the ledger of the configuration.
func attach(ctx context.Context, e *env, flags *configFlags) (*ledger.SQLite, *live, error) {
	cfg, err := flags.read(e)
	if err != nil {
		return nil, nil, err
	}
	l, err := newLive(cfg, e.now())
	if err != nil {
		return nil, nil, err
	}
	led, err := ledger.Open(ctx, cfg.StorePath(), ledger.Options{
		Now: e.now, Attach: true, IsControl: isControl,
		Policy: func(target string) alerting.Policy { return l.policy(target, time.Time{}, 0) },
		Routes: l.routes,
	})
	if err != nil {
		return nil, nil, usageError(err, "'crosstalk serve' makes it; its path is store in the configuration")
	}
	return led, l, nil
}

// person is who operates: the flag, or the user of the process.
func person(flag string) string {
	if flag != "" {
		return flag
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

func newPause(e *env) *cobra.Command {
	var (
		flags  configFlags
		by, wy string
	)
	cmd := &cobra.Command{
		Use:   "pause [TARGET]",
		Short: "stop the daemon's probes within a second, also what is in flight",
		Args:  atMostOneTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			target := argument(args)
			return operateOn(cmd.Context(), e, &flags, func(l *ledger.SQLite, live *live) error {
				if err := live.knows(target); err != nil {
					return err
				}
				if err := l.Pause(cmd.Context(), target, person(by), wy, e.now()); err != nil {
					return err
				}
				noteDaemonless(e, live, "the pause is kept, and holds when one starts")
				_, err := fmt.Fprintf(e.stdout, "paused %s; 'crosstalk resume' goes on\n", orAll(target))
				return err
			})
		},
	}
	flags.addPath(cmd)
	cmd.Flags().StringVar(&by, "by", "", "who pauses (default: the user of this process)")
	cmd.Flags().StringVar(&wy, "reason", "", "why, for whoever finds it paused")
	return cmd
}

func newResume(e *env) *cobra.Command {
	var (
		flags configFlags
		by    string
	)
	cmd := &cobra.Command{
		Use:   "resume [TARGET]",
		Short: "end a pause, and lift the stops of a target after a suspected disclosure",
		Long: `resume ends a pause. Of one target it also lifts the stops of its cells: after a
suspected disclosure of a stranger's content nothing is sent there until a person
has looked. Resuming all targets at once lifts no stop.`,
		Args: atMostOneTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			target := argument(args)
			return operateOn(cmd.Context(), e, &flags, func(l *ledger.SQLite, live *live) error {
				if err := resumable(cmd.Context(), l, live, target); err != nil {
					return err
				}
				if err := l.Resume(cmd.Context(), target, person(by), e.now()); err != nil {
					return err
				}
				noteDaemonless(e, live, "nothing is probed until 'crosstalk serve' runs")
				_, err := fmt.Fprintf(e.stdout, "resumed %s\n", orAll(target))
				return err
			})
		},
	}
	flags.addPath(cmd)
	cmd.Flags().StringVar(&by, "by", "", "who resumes (default: the user of this process)")
	return cmd
}

// noteDaemonless says so if there is no daemon that a command could reach.
func noteDaemonless(e *env, live *live, then string) {
	if path := live.cfg.StorePath(); daemonless(path) {
		fmt.Fprintf(e.stderr, "crosstalk: note: no daemon of this machine runs on %s; %s\n", path, then)
	}
}

// errNoTarget is the name of a target that is not configured.
var errNoTarget = errors.New("no target is called")

// knows refuses the name of a target that is not configured; "" stands for all.
func (l *live) knows(target string) error {
	if target == "" || l.sites[target] != nil {
		return nil
	}
	return usageError(fmt.Errorf("%w %q: the targets are %q", errNoTarget, target, l.targets()), "name one of them, or none for all")
}

// resumable refuses a name that is neither configured nor paused: a target that
// was paused and then removed can still be resumed.
func resumable(ctx context.Context, l *ledger.SQLite, live *live, target string) error {
	pause, paused, err := l.Paused(ctx, target)
	if err != nil || paused && pause.Target == target {
		return err
	}
	return live.knows(target)
}

func atMostOneTarget(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError(fmt.Errorf("%s takes one target at most, got %d", cmd.CommandPath(), len(args)), "name one, or none for all")
	}
	return nil
}

func orAll(target string) string {
	if target == "" {
		return "all targets"
	}
	return "target " + target
}

// operate opens the ledger, does something with it and closes it.
func operate(ctx context.Context, e *env, flags *configFlags, do func(*ledger.SQLite) error) error {
	return operateOn(ctx, e, flags, func(l *ledger.SQLite, _ *live) error { return do(l) })
}

// operateOn is operate for what needs the configuration too.
func operateOn(ctx context.Context, e *env, flags *configFlags, do func(*ledger.SQLite, *live) error) error {
	l, live, err := attach(ctx, e, flags)
	if err != nil {
		return err
	}
	defer live.close()
	err = do(l, live)
	switch {
	case errors.Is(err, ledger.ErrNotFound), errors.Is(err, alerting.ErrNotOpen):
		err = usageError(err, "'crosstalk incidents list' shows what there is")
	case errors.Is(err, alerting.ErrStopped):
		err = usageError(err, "first 'crosstalk resume TARGET', then resolve")
	}
	return errors.Join(err, l.Close())
}

func newIncidents(e *env) *cobra.Command {
	return group("incidents", "list, show, acknowledge, resolve and export incidents",
		newIncidentsList(e), newIncidentsShow(e), newIncidentsAck(e), newIncidentsResolve(e), newIncidentsExport(e))
}

func newIncidentsList(e *env) *cobra.Command {
	var (
		flags  configFlags
		filter ledger.IncidentFilter
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list incidents, newest first",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return operate(cmd.Context(), e, &flags, func(l *ledger.SQLite) error {
				list, err := l.Incidents(cmd.Context(), filter)
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(e, list)
				}
				w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "INCIDENT\tSTATE\tKIND\tTARGET\tSEVERITY\tOPENED\tSIGHTINGS\tSUMMARY")
				for _, i := range list {
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", i.ID, i.State, i.Kind, i.Target, i.Severity,
						i.Opened.UTC().Format(time.RFC3339), i.Sightings, i.Summary)
				}
				return w.Flush()
			})
		},
	}
	flags.addPath(cmd)
	cmd.Flags().StringVarP(&filter.Target, "target", "t", "", "of this target only")
	cmd.Flags().BoolVar(&filter.Open, "open", false, "open ones only")
	cmd.Flags().IntVar(&filter.Limit, "limit", 100, "at most so many")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func writeJSON(e *env, v any) error {
	enc := json.NewEncoder(e.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// incidentArg reads the one argument of a command on one incident.
func incidentArg(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError(fmt.Errorf("%s takes one incident, got %d arguments", cmd.CommandPath(), len(args)), incidentsList)
	}
	_, err := parseID(args[0], "an incident", incidentsList)
	return err
}

func newIncidentsShow(e *env) *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   "show INCIDENT",
		Short: "show an incident with the exchanges it has seen and the pages it sent, as JSON",
		Args:  incidentArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return operate(cmd.Context(), e, &flags, func(l *ledger.SQLite) error {
				id := uuid.MustParse(args[0])
				var out struct {
					Incident  alerting.Incident       `json:"incident"`
					Sightings []ledger.ExchangeRecord `json:"sightings"`
					Pages     []ledger.PageRecord     `json:"pages"`
				}
				var err error
				if out.Incident, err = l.Incident(cmd.Context(), id); err != nil {
					return err
				}
				if out.Sightings, err = l.Sightings(cmd.Context(), id); err != nil {
					return err
				}
				if out.Pages, err = l.Pages(cmd.Context(), id); err != nil {
					return err
				}
				return writeJSON(e, out)
			})
		},
	}
	flags.addPath(cmd)
	return cmd
}

func newIncidentsAck(e *env) *cobra.Command {
	return incidentVerb(e, "ack", "acknowledge an incident: it is not repeated or escalated any more", "acknowledged",
		func(ctx context.Context, l *ledger.SQLite, id uuid.UUID, by string, at time.Time) error {
			return l.Acknowledge(ctx, id, by, at)
		})
}

func newIncidentsResolve(e *env) *cobra.Command {
	return incidentVerb(e, "resolve", "close an incident by hand; a foreign one after 'crosstalk resume' only", "resolved",
		func(ctx context.Context, l *ledger.SQLite, id uuid.UUID, by string, at time.Time) error {
			return l.ResolveIncident(ctx, id, by, at)
		})
}

// incidentVerb is a command that changes one incident.
func incidentVerb(e *env, verb, short, done string, do func(context.Context, *ledger.SQLite, uuid.UUID, string, time.Time) error) *cobra.Command {
	var (
		flags configFlags
		by    string
	)
	cmd := &cobra.Command{
		Use:   verb + " INCIDENT",
		Short: short,
		Args:  incidentArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return operate(cmd.Context(), e, &flags, func(l *ledger.SQLite) error {
				if err := do(cmd.Context(), l, uuid.MustParse(args[0]), person(by), e.now()); err != nil {
					return err
				}
				_, err := fmt.Fprintf(e.stdout, "%s %s\n", done, args[0])
				return err
			})
		},
	}
	flags.addPath(cmd)
	cmd.Flags().StringVar(&by, "by", "", "who does (default: the user of this process)")
	return cmd
}

func newDashboards(e *env) *cobra.Command {
	var (
		dir     string
		options dashboards.Options
	)
	cmd := &cobra.Command{
		Use:   "dashboards",
		Short: "write Grafana dashboards, Prometheus rules and their tests",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if dir == "" {
				return usageError(errors.New("no folder to write to"), "name one with -o")
			}
			if err := dashboards.Write(dir, options); err != nil {
				return usageError(fmt.Errorf("write dashboards: %w", err), "name a folder that can be written to with -o")
			}
			_, err := fmt.Fprintf(e.stdout, "wrote dashboards and rules to %s\n", dir)
			return err
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "folder to write to")
	cmd.Flags().StringVar(&options.ExternalURL, "external-url", "", "address of the daemon's own pages, for links")
	return cmd
}
