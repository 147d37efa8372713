// Package cli is the command line: one file for each command.
package cli

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// Main runs a command line and gives the exit status: 0 done; 1 failed; 2 wrong
// usage or configuration; 3 finished, but something asked for has no valid figure, or a
// threshold cannot be told; 4 a threshold failed, B is worse than compare allows, a soak
// lost more than its budget, or behaviour cases have findings; 128 and the number of the
// signal that ended it (130: Ctrl-C).
func Main(args []string, stdout, stderr io.Writer) int {
	if _, err := os.Getwd(); err != nil {
		complain(stderr, errNoFolder)
		return exitFailed
	}
	ctx, stop := untilSignal()
	defer stop()
	outlivePipes()
	out := &stream{Writer: stdout}
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	c, err := root.ExecuteContextC(ctx)
	switch signal := statusOfSignal(ctx); {
	case out.gone.Load() && errors.Is(err, unix.EPIPE):
		return exitPipe
	case signal != 0 && interrupted(err):
		complain(stderr, interruption(err, bySignal(ctx)))
		return signal
	}
	if err != nil && wrongCall(err) {
		err = wrongUsage(c, err)
	}
	return status(stderr, err)
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
		Version: tool().Version,
	}
	root.AddGroup(groups()...)
	root.AddCommand(inGroup(toMeasure, newRun(), newBehaviour(), newUE(), newBisect())...)
	root.AddCommand(inGroup(toRead, newReport(), newCompare(), newCheck(), newHistory(), newServe(), newPublish(),
		newExport(), newModel(), newEnergy(), newExplain())...)
	root.AddCommand(inGroup(toSetUp, newDoctor(), newDUT(), newScenario(), newInit(), newClean(), newVersion())...)
	root.AddCommand(inGroup(toProve, newSelftest(), newVerify(), newCalibrate(), newRoundRobin(), newBench())...)
	root.AddCommand(inGroup(ofFleet, newCampaign(), newHub(), newAgent())...)
	root.AddCommand(inGroup(ofUPF, newUPF())...)
	root.AddCommand(newEnter(), newPod(), newGuest(), newVM())
	root.SetCompletionCommandGroupID(toSetUp)
	root.SetHelpCommandGroupID(toSetUp)
	root.SetVersionTemplate(versionLine())
	root.SetHelpFunc(showHelp)
	root.SetUsageFunc(func(c *cobra.Command) error { showUsage(c, c.OutOrStderr()); return nil })
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return wrongUsage(c, plainly(c, err)) })
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	strict(root)
	complete(root)
	return root
}
