package fleet

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/agent"
	"github.com/upflab/upflab/internal/fleet/sshagent"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/machine/host"
)

// agentFlags are those of `upflab agent`.
type agentFlags struct {
	access       flags.Hub
	name         string
	testbed, dir string
	upfs         []string
	allow        []string
	policy       string // a file
	minFree      int64
	ssh          string
	untilEOF     bool
}

// minFreeMB is what has to be free on a disk for a job, MB, unless somebody says otherwise.
const minFreeMB = 512

func newAgent() *cobra.Command {
	var f agentFlags
	c := &cobra.Command{Use: "agent", Short: "Run a hub's jobs on this host", Args: cobra.NoArgs,
		Long: `Serve this host as a testbed: take jobs from a hub, one at a time, run them, and return the
results. The agent connects to the hub and does not listen. It runs until Ctrl-C; another
testbed then repeats the job under way.

Jobs may start UPFs that are installed here, in separate namespaces. You decide what else
they may use: container images, interfaces, hosts to log in to (docs/scale.md, "What an
operator can do to a testbed").

With --ssh the agent runs on another host: upflab and the pass are copied there, and removed
at the end, also when the connection breaks.`,
		Example: `  upflab agent --pass rack1.pass
  upflab agent --pass rack1.pass --ssh root@rack1
  upflab agent --pass rack1.pass --allow device=eth1 --allow 'image=localhost/eupf:*'
  upflab agent --pass rack1.pass --upf eupf@0.6.4=/opt/0.6.4/eupf --upf eupf@0.7.1=/opt/0.7.1/eupf`,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.ssh != "" {
				if err := sshagent.CheckHost(f.ssh); err != nil {
					return exit.WrongConfig(fmt.Errorf("--ssh: %w", err))
				}
				return agentBySSH(c, f)
			}
			return runAgent(c, f)
		}}
	f.access.Add(c)
	c.Flags().StringVar(&f.testbed, "testbed", "", "`NAME` of the testbed; default: the first that the pass allows")
	c.Flags().StringArrayVar(&f.allow, "allow", nil,
		"what jobs may use of this host: `KEY=VALUE`, KEY=BEGINNING* or KEY for all values; may be repeated")
	c.Flags().StringVar(&f.policy, "policy", "", "`FILE` of such rules, one a line")
	c.Flags().StringVar(&f.dir, "dir", "/var/lib/upflab-agent", "`FOLDER` of jobs under way and results not handed in yet")
	c.Flags().StringArrayVar(&f.upfs, "upf", nil, "one of several versions of a UPF: `NAME@VERSION=PROGRAM`; may be repeated")
	c.Flags().StringVar(&f.ssh, "ssh", "", "`HOST` to run on, as ssh takes it; there as root, or by sudo without a password")
	c.Flags().BoolVar(&f.untilEOF, "until-eof", false, "end when standard input does")
	_ = c.Flags().MarkHidden("until-eof")
	runflags.Whole(c.Flags(), &f.minFree, "min-free", minFreeMB, 0, "take no job while the folder's disk has less than so many `MB`")
	return c
}

func runAgent(c *cobra.Command, f agentFlags) error {
	access, err := f.access.Access(fleet.OperatorName)
	if err != nil {
		return err
	}
	if access.Pass.Operator {
		return exit.WrongConfig(fmt.Errorf("this is the operator's pass; an agent has its own, by `upflab hub add NAME`"))
	}
	f.name = access.Name
	if f.testbed == "" && len(access.Pass.Testbeds) > 0 {
		f.testbed = access.Pass.Testbeds[0]
	}
	if !fleet.GoodName(f.testbed) {
		return exit.WrongConfig(fmt.Errorf("%q cannot name a testbed: letters, digits, - and _", f.testbed))
	}
	policy, err := f.rules()
	if err != nil {
		return exit.WrongConfig(err)
	}
	if err := prepare.Machine(c.ErrOrStderr()); err != nil {
		return err
	}
	lock, err := agent.LockTestbed(f.testbed)
	if err != nil {
		return err
	}
	defer lock.Close()
	t, err := describeTestbed(f)
	if err != nil {
		return err
	}
	t.Allows = policy
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	if f.untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	return agent.Serve(ctx, agent.Config{Access: access, Testbed: t, Dir: filepath.Join(f.dir, f.testbed),
		MinFree: f.minFree << 20, Policy: policy,
		Runner: agent.Process{Program: tool.Self(), Clean: func() { _, _ = host.CleanStale() }, Arguments: f.access.Arguments(f.testbed)},
		Notice: func(text string) {
			fmt.Fprintln(c.OutOrStdout(), time.Now().Format(time.TimeOnly), text)
		}})
}

// rules are what jobs may use, of the flags and of the file.
func (f agentFlags) rules() (p fleet.Policy, err error) {
	if f.policy != "" {
		if p, err = fleet.ReadPolicy(f.policy); err != nil {
			return nil, err
		}
	}
	p = append(p, f.allow...)
	return p, p.Check()
}

// agentBySSH runs this program as an agent elsewhere.
func agentBySSH(c *cobra.Command, f agentFlags) error {
	if _, err := fleet.ReadPass(f.access.Pass); err != nil {
		return exit.WrongConfig(fmt.Errorf("--ssh needs --pass: %w", err))
	}
	rules, err := f.rules()
	if err != nil {
		return exit.WrongConfig(err)
	}
	f.allow = rules
	return sshagent.Run(c.Context(), f.elsewhere(c.OutOrStdout()))
}

// elsewhere is the agent on the host that ssh reaches.
func (f agentFlags) elsewhere(out io.Writer) sshagent.Config {
	args := []string{"--min-free", strconv.FormatInt(f.minFree, 10)}
	if f.testbed != "" {
		args = append(args, "--testbed", f.testbed)
	}
	if f.access.Address != "" {
		args = append(args, "--hub", f.access.Address)
	}
	for _, u := range f.upfs {
		args = append(args, "--upf", u)
	}
	for _, rule := range f.allow {
		args = append(args, "--allow", rule)
	}
	return sshagent.Config{Host: f.ssh, Command: strings.Fields(os.Getenv("UPFLAB_SSH")),
		Program: tool.Self(), Pass: f.access.Pass, Args: args, Out: out}
}

// describeTestbed says what can be measured on this host.
func describeTestbed(f agentFlags) (fleet.Testbed, error) {
	t := fleet.Testbed{Name: f.testbed, Agent: f.name, Protocol: fleet.Protocol, Version: tool.Facts().Version}
	t.Host, _ = os.Hostname()
	facts := host.Facts()
	t.CPUs, t.Kernel = facts.CPUs, facts.Kernel
	for _, d := range drivers.List(t.Version) {
		if version, err := d.Installed(); err == nil {
			t.DUTs = append(t.DUTs, fleet.Installed{Name: d.Info().Name, Version: version})
		}
	}
	for _, text := range f.upfs {
		named, program, ok := strings.Cut(text, "=")
		name, version, versioned := strings.Cut(named, "@")
		if !ok || !versioned || name == "" || version == "" {
			return t, exit.WrongConfig(fmt.Errorf("--upf %s: write NAME@VERSION=PROGRAM", text))
		}
		if _, err := drivers.Find(name, t.Version); err != nil {
			return t, exit.WrongConfig(fmt.Errorf("--upf %s: %w", text, err))
		}
		if err := unix.Access(program, unix.X_OK); err != nil {
			return t, exit.WrongConfig(fmt.Errorf("--upf %s: the program cannot be run: %w", text, err))
		}
		t.DUTs = append(t.DUTs, fleet.Installed{Name: name, Version: version, Program: program})
	}
	return t, nil
}
