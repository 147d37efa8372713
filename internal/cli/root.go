// Package cli is the command line: one file for each command.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// Main runs a command line and gives the exit status: 0 done; 1 failed; 2 wrong
// usage or configuration; 3 finished, but something asked for has no valid figure, or a
// threshold cannot be told; 4 a threshold failed, B is worse than compare allows, a soak
// lost more than its budget, or behaviour cases have findings.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), ending()...)
	defer stop()
	context.AfterFunc(ctx, func() { // a second signal ends the program at once
		time.Sleep(again)
		stop()
	})
	// A reader that goes away, as `head` does, must not kill a run half way: with
	// SIGPIPE handled, a write into its pipe is only an error.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	c, err := root.ExecuteContextC(ctx)
	if err != nil && wrongCall(err) {
		err = usageError{c, err}
	}
	return status(stderr, err)
}

// again is how long after a signal another is the same one: a program that asked to be told
// of the end of the one that started it is told once for each of its threads.
const again = 300 * time.Millisecond

// ending are the signals that end a run in order. SIGHUP says that the terminal or the
// SSH session is gone; below nohup it is ignored, and stays so.
func ending() []os.Signal {
	list := []os.Signal{unix.SIGINT, unix.SIGTERM}
	if !signal.Ignored(unix.SIGHUP) {
		list = append(list, unix.SIGHUP)
	}
	return list
}

// Command is the tree of all commands, for programs that describe it.
func Command() *cobra.Command { return newRoot() }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "upflab",
		Short: "A laboratory for 5G user planes: throughput, latency and loss of a UPF, and what limited them",
		Long: `upflab brings a UPF up (or points at one that runs elsewhere), plays SMF, gNB, UEs
and data network around it, loads it over GTP-U, and reports what it did and what
limited it.

Start with:  upflab doctor
Then:        upflab run`,
		SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.AddCommand(newRun(), newDoctor(), newDUT(), newScenario(), newReport(), newCompare(), newCheck(),
		newExport(), newInit(), newHistory(), newBisect(), newModel(), newBehaviour(), newUE(), newClean(), newUPF(),
		newBench(), newSelftest(), newEnter(), newHub(), newAgent(), newPod(), newCampaign(), newVersion())
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{c, err} })
	root.AddCommand(newServe())
	for _, c := range root.Commands() {
		strict(c)
	}
	return root
}

// strict makes wrong arguments a usage error everywhere, and so a subcommand that does not
// exist: cobra shows help for those of commands that do nothing by themselves.
func strict(c *cobra.Command) {
	if c.HasSubCommands() && !c.Runnable() {
		c.Args, c.RunE = cobra.NoArgs, func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usageError{c, err}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		strict(sub)
	}
}
