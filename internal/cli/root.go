// Package cli puts the command line together from the commands of its groups, each a package below it.
package cli

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/fleet"
	"github.com/upflab/upflab/internal/cli/measure"
	"github.com/upflab/upflab/internal/cli/prove"
	"github.com/upflab/upflab/internal/cli/read"
	"github.com/upflab/upflab/internal/cli/setup"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/cli/upf"
)

// Main runs a command line and gives the exit status: 0 done; 1 failed; 2 wrong
// usage or configuration; 3 finished, but something asked for has no valid figure, or a
// threshold cannot be told; 4 a threshold failed, B is worse than compare allows, a soak
// lost more than its budget, or behaviour cases have findings; 128 and the number of the
// signal that ended it (130: Ctrl-C).
func Main(args []string, stdout, stderr io.Writer) int {
	if _, err := os.Getwd(); err != nil {
		exit.Complain(stderr, errNoFolder)
		return exit.Failed
	}
	ctx, stop := exit.UntilSignal()
	defer stop()
	console.OutlivePipes()
	out := &console.Stream{Writer: stdout}
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	c, err := root.ExecuteContextC(ctx)
	switch signal := exit.StatusOfSignal(ctx); {
	case out.Gone.Load() && errors.Is(err, unix.EPIPE):
		return exit.Pipe
	case signal != 0 && exit.Interrupted(err):
		exit.Complain(stderr, exit.Interruption(err, exit.BySignal(ctx)))
		return signal
	}
	if err != nil && exit.WrongCall(err) {
		err = exit.WrongUsage(c, err)
	}
	return exit.Report(stderr, err)
}

// errNoFolder: paths are relative to the current folder, and so is what a run writes.
var errNoFolder = errors.New("the current folder has been removed: go to one that exists, for example with `cd`")

// Command is the tree of all commands, for programs that describe it.
func Command() *cobra.Command { return newRoot() }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "upflab",
		Short: "A laboratory for 5G user planes: throughput, latency and loss of a UPF, and what limited them",
		Long: `upflab starts a UPF (or uses one that runs elsewhere), plays SMF, gNB, UEs and data network
around it, and loads it over GTP-U. It reports how fast the UPF was and what limited it.

Start with:  upflab doctor
Then:        upflab run`,
		SilenceUsage: true, SilenceErrors: true, DisableSuggestions: true, // usage errors have their own
		Version: tool.Facts().Version,
	}
	root.AddGroup(groups()...)
	root.AddCommand(inGroup(toMeasure, measure.Commands()...)...)
	root.AddCommand(inGroup(toRead, read.Commands()...)...)
	root.AddCommand(inGroup(toSetUp, setup.Commands()...)...)
	root.AddCommand(inGroup(toProve, prove.Commands()...)...)
	root.AddCommand(inGroup(ofFleet, fleet.Commands()...)...)
	root.AddCommand(inGroup(ofUPF, upf.New())...)
	root.AddCommand(measure.Hidden()...)
	root.SetCompletionCommandGroupID(toSetUp)
	root.SetHelpCommandGroupID(toSetUp)
	root.SetVersionTemplate(tool.VersionLine())
	root.SetHelpFunc(console.Help)
	root.SetUsageFunc(func(c *cobra.Command) error { console.Usage(c, c.OutOrStderr()); return nil })
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return exit.WrongUsage(c, plainly(c, err)) })
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	strict(root)
	complete(root)
	return root
}
