package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/dut/drivers"
	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/agent"
	"github.com/upflab/upflab/internal/fleet/sshagent"
	"github.com/upflab/upflab/internal/host"
)

// agentFlags are those of `upflab agent`.
type agentFlags struct {
	access       accessFlags
	name         string
	testbed, dir string
	upfs         []string
	minFree      int64
	ssh          string
	untilEOF     bool
}

// minFreeMB is what has to be free on a disk for a job, MB, unless somebody says otherwise.
const minFreeMB = 512

func newAgent() *cobra.Command {
	var f agentFlags
	c := &cobra.Command{Use: "agent", Short: "Measure on this host what a hub's campaigns ask for", Args: cobra.NoArgs,
		Long: `Serve this host as a testbed: take jobs from a hub, one at a time, run them, hand the
results in. The agent connects to the hub, and listens nowhere. It runs until Ctrl-C;
what it was measuring then goes to another testbed.

With --ssh it does so on another host: upflab and the pass are copied there, and taken
away at the end, also when the connection breaks.`,
		Example: `  upflab agent --pass rack1.pass
  upflab agent --pass rack1.pass --ssh root@rack1
  upflab agent --pass rack1.pass --upf eupf@0.6.4=/opt/0.6.4/eupf --upf eupf@0.7.1=/opt/0.7.1/eupf`,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.ssh != "" {
				return agentBySSH(c, f)
			}
			return runAgent(c, f)
		}}
	f.access.add(c)
	c.Flags().StringVar(&f.name, "name", "", "with --nats: `name` of the agent; default: the host's")
	c.Flags().StringVar(&f.testbed, "testbed", "", "`name` of the testbed; default: the first that the pass allows, or the agent's name")
	c.Flags().StringVar(&f.dir, "dir", "/var/lib/upflab-agent", "`folder` of jobs under way and results not handed in yet")
	c.Flags().StringArrayVar(&f.upfs, "upf", nil, "one of several versions of a UPF: `NAME@VERSION=PROGRAM`; may be repeated")
	c.Flags().StringVar(&f.ssh, "ssh", "", "`HOST` to run on, as ssh takes it; there as root, or by sudo without a password")
	c.Flags().BoolVar(&f.untilEOF, "until-eof", false, "end when standard input does")
	_ = c.Flags().MarkHidden("until-eof")
	c.Flags().Int64Var(&f.minFree, "min-free", minFreeMB, "take no job while the folder's disk has less than so many `MB`")
	return c
}

func runAgent(c *cobra.Command, f agentFlags) error {
	if f.name == "" {
		f.name, _ = os.Hostname()
		f.name, _, _ = strings.Cut(f.name, ".")
	}
	access, err := f.access.access(f.name)
	if err != nil {
		return err
	}
	if access.Pass != nil {
		f.name = access.Name
		if f.testbed == "" && len(access.Pass.Testbeds) > 0 {
			f.testbed = access.Pass.Testbeds[0]
		}
	}
	if f.testbed == "" {
		f.testbed = f.name
	}
	for _, n := range []string{f.name, f.testbed} {
		if !fleet.GoodName(n) {
			return configError{fmt.Errorf("%q cannot name an agent or a testbed: letters, digits, - and _", n)}
		}
	}
	if err := ready(c); err != nil {
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
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	if f.untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	return agent.Serve(ctx, agent.Config{Access: access, Testbed: t, Dir: filepath.Join(f.dir, f.testbed), MinFree: f.minFree << 20,
		Runner: agent.Process{Program: self(), Clean: func() { _, _ = host.CleanStale() }, Arguments: f.access.arguments(f.testbed)},
		Notice: func(text string) {
			fmt.Fprintln(c.OutOrStdout(), time.Now().Format(time.TimeOnly), text)
		}})
}

// agentBySSH runs this program as an agent elsewhere.
func agentBySSH(c *cobra.Command, f agentFlags) error {
	if _, err := fleet.ReadPass(f.access.pass); err != nil {
		return configError{fmt.Errorf("--ssh needs --pass: %w", err)}
	}
	return sshagent.Run(c.Context(), f.elsewhere(c.OutOrStdout()))
}

// elsewhere is the agent on the host that ssh reaches.
func (f agentFlags) elsewhere(out io.Writer) sshagent.Config {
	args := []string{"--min-free", strconv.FormatInt(f.minFree, 10)}
	if f.testbed != "" {
		args = append(args, "--testbed", f.testbed)
	}
	if f.access.hub != "" {
		args = append(args, "--hub", f.access.hub)
	}
	for _, u := range f.upfs {
		args = append(args, "--upf", u)
	}
	return sshagent.Config{Host: f.ssh, Command: strings.Fields(os.Getenv("UPFLAB_SSH")),
		Program: self(), Pass: f.access.pass, Args: args, Out: out}
}

// self is this program, also when its file was replaced meanwhile.
func self() string {
	if path, err := os.Executable(); err == nil {
		if _, err := exec.LookPath(path); err == nil {
			return path
		}
	}
	return "/proc/self/exe"
}

// describeTestbed says what can be measured on this host.
func describeTestbed(f agentFlags) (fleet.Testbed, error) {
	t := fleet.Testbed{Name: f.testbed, Agent: f.name, Protocol: fleet.Protocol, Version: tool().Version}
	t.Host, _ = os.Hostname()
	facts := host.Facts()
	t.CPUs, t.Kernel = facts.CPUs, facts.Kernel
	for _, d := range drivers.All(t.Version) {
		if version, err := d.Installed(); err == nil {
			t.DUTs = append(t.DUTs, fleet.Installed{Name: d.Info().Name, Version: version})
		}
	}
	for _, text := range f.upfs {
		named, program, ok := strings.Cut(text, "=")
		name, version, versioned := strings.Cut(named, "@")
		if !ok || !versioned || name == "" || version == "" {
			return t, configError{fmt.Errorf("--upf %s: write NAME@VERSION=PROGRAM", text)}
		}
		if _, err := drivers.Find(name, t.Version); err != nil {
			return t, configError{fmt.Errorf("--upf %s: %w", text, err)}
		}
		if err := unix.Access(program, unix.X_OK); err != nil {
			return t, configError{fmt.Errorf("--upf %s: the program cannot be run: %w", text, err)}
		}
		t.DUTs = append(t.DUTs, fleet.Installed{Name: name, Version: version, Program: program})
	}
	return t, nil
}
