package fleet

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/hub"
)

// defaultHubDir is where a hub keeps its keys and messages.
const defaultHubDir = "upflab-hub"

func newHub() *cobra.Command {
	c := &cobra.Command{Use: "hub", Short: "Run the server that distributes campaign jobs to agents", Args: cobra.NoArgs,
		Long: `The hub queues the jobs of campaigns, knows the testbeds, and keeps results until they
are collected. Agents (upflab agent) and the client (upflab campaign) connect to it. It
needs no root.`}
	c.AddCommand(newHubRun(), newHubAdd(), newHubRemove(), newHubPrepare())
	return c
}

func newHubRun() *cobra.Command {
	var f hub.Config
	var store int64
	var at flags.Hub
	c := &cobra.Command{Use: "run", Short: "Run a hub until Ctrl-C", Args: cobra.NoArgs,
		Long: `Run a hub until Ctrl-C. The first start makes its keys, and the operator's pass for
upflab campaign. Started again it goes on where it was.

With --keys it only reads its keys and who may use it: from a folder that upflab hub add
--hub made, perhaps elsewhere. It follows changes there.

With --nats it starts no server: it answers the agents of a NATS server or cluster that
upflab hub prepare has prepared. Several may run, each with a copy of --dir.`,
		Example: `  upflab hub run --dir /var/lib/upflab-hub --host hub.lab
  upflab hub run --nats nats://nats.lab:4222 --creds admin.creds
  upflab hub run --dir /var/lib/upflab-hub --keys /etc/upflab-hub`,
		RunE: func(c *cobra.Command, _ []string) error {
			f.MaxStore = store << 20
			if f.Lease < time.Second {
				return exit.WrongConfig(fmt.Errorf("--lease %s: a second at least", f.Lease))
			}
			if at.URL != "" {
				a := at.Server()
				f.At = &a
			}
			return runHub(c, f)
		}}
	c.Flags().StringVar(&f.Dir, "dir", defaultHubDir, "`FOLDER` of its keys and messages")
	c.Flags().StringVar(&f.Keys, "keys", "", "`FOLDER` of keys that upflab hub add --hub made, which is only read; default: that of --dir")
	c.Flags().StringVar(&f.Listen, "listen", ":4222", "`ADDRESS:PORT` where agents connect")
	c.Flags().StringArrayVar(&f.Hosts, "host", nil, "`NAME` or address at which agents reach it; may be repeated; default: this machine's")
	c.Flags().DurationVar(&f.Lease, "lease", fleet.DefaultLease, "`TIME` for which a testbed stays an agent's that is not heard of")
	runflags.Whole(c.Flags(), &store, "max-store", 0, 0, "`MB` that messages and results may take; 0: most of what the disk has")
	at.AddServer(c)
	return c
}

func runHub(c *cobra.Command, f hub.Config) error {
	h, err := hub.Start(c.Context(), f)
	if err != nil {
		return err
	}
	defer h.Close()
	if f.At != nil {
		fmt.Fprintf(c.OutOrStdout(), "answering the agents of %s\n", f.At.URL)
	} else {
		showHub(c.OutOrStdout(), f, h.URLs())
	}
	return h.Serve(c.Context(), func(text string) { fmt.Fprintln(c.ErrOrStderr(), "hub:", text) })
}

// showHub says where the hub is, and what comes next.
func showHub(out io.Writer, f hub.Config, urls []string) {
	dir := f.Dir
	if f.Keys != "" {
		dir = "FOLDER" // where the keys were made
	}
	fmt.Fprintf(out, "hub      %s\noperator %s\n\n", strings.Join(urls, " "), hub.OperatorPass(dir))
	if f.Keys == "" {
		fmt.Fprintf(out, "let a host in:    upflab hub add NAME --dir %s    then on NAME: upflab agent --pass NAME.pass\n", dir)
	} else {
		fmt.Fprintf(out, "let a host in:    upflab hub add NAME --dir FOLDER    where the keys were made; then "+
			"bring FOLDER's members.json to %s\n", f.Keys)
	}
	fmt.Fprintf(out, "start a campaign: upflab campaign run FILE --pass %s\n", hub.OperatorPass(dir))
}

func newHubAdd() *cobra.Command {
	var dir, out, address string
	var testbeds, with []string
	c := &cobra.Command{Use: "add NAME", Short: "Admit an agent: write a pass for it", Args: cobra.ExactArgs(1),
		Long: `Write a pass for an agent. Copy it to the agent's host. The pass is a secret: it lets its
holder act as that agent. A new pass for a name voids the one before. A running hub notices
within a second.`,
		RunE: func(c *cobra.Command, args []string) error {
			name := args[0]
			if len(testbeds) == 0 {
				testbeds = []string{name}
			}
			if out == "" {
				out = name + ".pass"
			}
			if address != "" {
				if err := hub.Make(dir, address); err != nil {
					return exit.WrongConfig(err)
				}
			}
			if err := hub.Add(dir, name, testbeds, with, out); err != nil {
				return exit.WrongConfig(err)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: copy it to the host, then there: upflab agent --pass %s\n", out, filepath.Base(out))
			return showRights(c.OutOrStdout(), dir, name)
		}}
	c.Flags().StringVar(&dir, "dir", defaultHubDir, "`FOLDER` of the hub")
	c.Flags().StringArrayVar(&with, "with", nil,
		"`NAME` of another testbed that takes part in measurements led by this agent; may be repeated")
	c.Flags().StringVar(&address, "hub", "",
		"`HOST:PORT` of a hub that has not run yet: makes its folder with its keys, to be copied to where it will run")
	c.Flags().StringVar(&out, "out", "", "`FILE` of the pass; default: NAME.pass")
	c.Flags().StringArrayVar(&testbeds, "testbed", nil, "`NAME` of a testbed that it may serve; may be repeated; default: the agent's name")
	return c
}

func newHubRemove() *cobra.Command {
	var dir string
	c := &cobra.Command{Use: "remove NAME", Short: "End an agent's right to use the hub", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return hub.Remove(dir, args[0]) }}
	c.Flags().StringVar(&dir, "dir", defaultHubDir, "`FOLDER` of the hub")
	return c
}

func newHubPrepare() *cobra.Command {
	var a flags.Hub
	var dir string
	var agents, with []string
	var s fleet.Settings
	c := &cobra.Command{Use: "prepare", Short: "Prepare an existing NATS server or cluster", Args: cobra.NoArgs,
		Long: `Make upflab's streams and buckets on an existing NATS server or cluster with JetStream,
instead of a hub's server. It writes the keys: the operator's pass in --dir, and a pass for
each agent, NAME.pass. The agent signs with its pass, and recognises the operator's jobs by it.

For each agent it prints what its user on that server must be allowed. Then upflab hub run
--nats answers the agents; upflab hub add NAME makes further passes.`,
		Example: `  upflab hub prepare --nats nats://nats.lab:4222 --creds admin.creds --replicas 3 --agent rack1`,
		RunE: func(c *cobra.Command, _ []string) error {
			if a.URL == "" {
				return exit.WrongConfig(fmt.Errorf("a hub prepares itself: prepare is for a server named by --nats"))
			}
			if err := hub.MakeForeign(dir, a.URL); err != nil {
				return exit.WrongConfig(err)
			}
			for _, name := range agents {
				if err := hub.Add(dir, name, []string{name}, with, name+".pass"); err != nil {
					return exit.WrongConfig(err)
				}
			}
			if err := prepareServer(c, a.Server(), s, agents); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "prepared; the operator's pass is %s\n", hub.OperatorPass(dir))
			return showRights(c.OutOrStdout(), dir, agents...)
		}}
	a.AddServer(c)
	c.Flags().StringVar(&dir, "dir", defaultHubDir, "`FOLDER` of keys")
	c.Flags().StringArrayVar(&agents, "agent", nil, "`NAME` of an agent and its testbed, whose pass is written; may be repeated")
	c.Flags().StringArrayVar(&with, "with", nil,
		"`NAME` of another testbed that takes part in measurements led by these agents; may be repeated")
	c.Flags().DurationVar(&s.Lease, "lease", fleet.DefaultLease, "`TIME` for which a testbed stays an agent's that is not heard of")
	runflags.Whole(c.Flags(), &s.Replicas, "replicas", 1, 1, "keep each message on `N` servers of the cluster")
	return c
}

func prepareServer(c *cobra.Command, a fleet.Access, s fleet.Settings, agents []string) error {
	nc, err := a.Connect(nats.MaxReconnects(0))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	return fleet.Prepare(c.Context(), js, s, agents)
}

// showRights says what the users of agents at a NATS server that exists must be allowed. A hub's
// own server knows.
func showRights(out io.Writer, dir string, agents ...string) error {
	rights, err := hub.ForeignRights(dir)
	if err != nil {
		return err
	}
	for _, name := range agents {
		if r, ok := rights[name]; ok {
			fmt.Fprintf(out, "\nagent %s may publish:\n  %s\nsubscribe to:\n  %s\nand nothing else; do not set allow_responses\n", name,
				strings.Join(r.Publish, "\n  "), strings.Join(r.Subscribe, "\n  "))
		}
	}
	return nil
}
