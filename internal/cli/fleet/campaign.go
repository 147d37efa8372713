package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/matrix"
)

func newCampaign() *cobra.Command {
	c := &cobra.Command{Use: "campaign", Short: "Measure a matrix of UPFs, versions and settings on many testbeds", Args: cobra.NoArgs,
		Long: `A campaign is a scenario with a matrix of what is varied. Each combination is a job; a
hub gives jobs to the agents of testbeds, and their results come into one folder.`}
	c.AddCommand(newCampaignRun(), newCampaignPlan(), newCampaignStatus(), newCampaignResults(), newCampaignStop())
	return c
}

// read reads a campaign's file, and plans its jobs.
func read(file string) (*matrix.File, *fleet.Plan, error) {
	f, err := matrix.Read(file)
	if err != nil {
		return nil, nil, exit.WrongConfig(err)
	}
	plan, err := f.Plan(tool.Facts().Version)
	if err != nil {
		return nil, nil, exit.WrongConfig(err)
	}
	return f, plan, nil
}

func newCampaignRun() *cobra.Command {
	var a flags.Hub
	var out string
	c := &cobra.Command{Use: "run FILE", Short: "Submit a campaign, and collect its results", Args: cobra.ExactArgs(1),
		Long: `Submit a campaign and collect its results until all jobs have an outcome. Ctrl-C ends the
collecting, not the campaign; the same command again goes on with both. What has been
measured is not measured again.

Hosts that the file names as sites have an agent meanwhile: upflab and a pass are copied
there by ssh, and taken away at the end.`,
		Example: `  upflab campaign run nightly.yaml --pass upflab-hub/operator.pass`,
		RunE: func(c *cobra.Command, args []string) error {
			f, plan, err := read(args[0])
			if err != nil {
				return err
			}
			return withHub(c, &a, func(conn *fleet.Conn) error {
				queued, err := client.Submit(c.Context(), conn, plan)
				if err != nil {
					return err
				}
				fmt.Fprintf(c.ErrOrStderr(), "campaign %s: %d jobs, %d queued now\n", plan.Campaign, len(plan.Jobs), queued)
				return withSites(c, f, a.Address, func() error { return follow(c, conn, plan, out, false) })
			})
		}}
	a.Add(c)
	addStore(c, &out)
	return c
}

func newCampaignPlan() *cobra.Command {
	return &cobra.Command{Use: "plan FILE", Short: "List the jobs of a campaign, and run nothing", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			_, plan, err := read(args[0])
			if err != nil {
				return err
			}
			for _, j := range plan.Jobs {
				fmt.Fprintln(c.OutOrStdout(), j.Name)
			}
			fmt.Fprintf(c.OutOrStdout(), "\n%d jobs\n", len(plan.Jobs))
			return nil
		}}
}

func newCampaignResults() *cobra.Command {
	var a flags.Hub
	var out string
	c := &cobra.Command{Use: "results NAME", Short: "Collect the results that a campaign has so far", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return withHub(c, &a, func(conn *fleet.Conn) error {
				plan, err := client.LoadPlan(c.Context(), conn, args[0])
				if err != nil {
					return err
				}
				return follow(c, conn, plan, out, true)
			})
		}}
	a.Add(c)
	addStore(c, &out)
	return c
}

func newCampaignStop() *cobra.Command {
	var a flags.Hub
	c := &cobra.Command{Use: "stop NAME", Short: "Take a campaign's jobs off the queue", Args: cobra.ExactArgs(1),
		Long: "Take a campaign's jobs off the queue. Those under way end by themselves, and have results.",
		RunE: func(c *cobra.Command, args []string) error {
			return withHub(c, &a, func(conn *fleet.Conn) error {
				plan, err := client.LoadPlan(c.Context(), conn, args[0])
				if err != nil {
					return err
				}
				n, err := client.Stop(c.Context(), conn, plan)
				fmt.Fprintf(c.OutOrStdout(), "%d jobs taken off the queue\n", n)
				return err
			})
		}}
	a.Add(c)
	return c
}

func newCampaignStatus() *cobra.Command {
	var a flags.Hub
	c := &cobra.Command{Use: "status [NAME]", Short: "Show testbeds, and how far campaigns are", Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return withHub(c, &a, func(conn *fleet.Conn) error {
				s, err := client.Look(c.Context(), conn, name)
				if err != nil {
					return err
				}
				return showStatus(c.OutOrStdout(), s)
			})
		}}
	a.Add(c)
	return c
}

func addStore(c *cobra.Command, out *string) {
	c.Flags().StringVar(out, "out", "results", "`FOLDER` that gets one with the campaign's name, with a folder for each job")
}

// withHub connects as the operator.
func withHub(c *cobra.Command, a *flags.Hub, do func(*fleet.Conn) error) error {
	access, err := a.Access("")
	if err != nil {
		return err
	}
	conn, err := fleet.Open(c.Context(), access)
	if err != nil {
		return err
	}
	defer conn.Close()
	return do(conn)
}

// follow collects results and says what came of the jobs.
func follow(c *cobra.Command, conn *fleet.Conn, plan *fleet.Plan, out string, once bool) error {
	d := &client.Campaign{Conn: conn, Plan: plan, Out: out, Once: once, Notice: func(text string) { fmt.Fprintln(c.ErrOrStderr(), text) }}
	runs, err := d.Follow(c.Context())
	if errors.Is(err, context.Canceled) {
		return exit.InterruptedError("the campaign goes on; the same command again collects the rest, `upflab campaign stop " +
			plan.Campaign + "` ends it")
	}
	if err != nil {
		return err
	}
	failed, invalid := 0, 0
	for _, r := range runs {
		if r.State == fleet.Failed {
			failed++
		} else if r.Status != 0 {
			invalid++
		}
	}
	fmt.Fprintf(c.OutOrStdout(), "%d of %d jobs have an outcome: %d failed, %d with trials that are not valid; results: %s\n",
		len(runs), len(plan.Jobs), failed, invalid, filepath.Join(out, plan.Campaign))
	if failed > 0 {
		return fmt.Errorf("%d jobs failed: `upflab campaign status %s` says why, their logs are with the results", failed, plan.Campaign)
	}
	if invalid > 0 {
		return exit.ErrInvalid
	}
	return nil
}

// showStatus prints what is at the hub.
func showStatus(w io.Writer, s client.Status) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "testbed\tagent\tupflab\tstate\tfor\tjob, reason")
	for _, b := range s.Testbeds {
		state, since, what := "lost", "", fmt.Sprintf("not heard of for %s or longer", fleet.AliveFor)
		if b.Alive != nil {
			state, since, what = fleet.Printable(b.Alive.Doing), b.Alive.For.Round(time.Second).String(),
				fleet.Printable(b.Alive.Name+b.Alive.Reason)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", fleet.Printable(b.Name), fleet.Printable(b.Agent),
			fleet.Printable(b.Version), state, since, what)
	}
	if len(s.Testbeds) == 0 {
		fmt.Fprintln(t, "none: start `upflab agent` on a host")
	}
	fmt.Fprintln(t)
	fmt.Fprintln(t, "campaign\tjobs\tdone\trunning\tqueued\tfailed")
	for _, c := range s.Campaigns {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\n", c.Name, c.Jobs, c.Done, c.Running, c.Queued(), c.Failed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range s.Campaigns {
		for _, line := range c.Failures {
			fmt.Fprintf(w, "\nfailed: %s", line)
		}
		for _, line := range c.Stuck {
			fmt.Fprintf(w, "\n%s: %s", c.Name, line)
		}
	}
	fmt.Fprintln(w)
	return nil
}
