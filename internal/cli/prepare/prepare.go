// Package prepare has what commands that measure on this machine do first: check and clean the machine, choose
// UPFs, begin a result.
package prepare

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/socket/openfiles"
	"github.com/upflab/upflab/internal/text/units"
)

// Machine checks what every run needs and removes what killed runs left.
func Machine(out io.Writer) error { return readied(out, listRemoved) }

// MachineInBrief is the same, with one line at most about what was removed.
func MachineInBrief(out io.Writer) error { return readied(out, sumRemoved) }

// readied is ready, where said says what was removed.
func readied(out io.Writer, said func(io.Writer, []string)) error {
	if os.Geteuid() != 0 {
		return errors.New("run needs root, to make network namespaces and load BPF programs: try `sudo upflab " +
			"run`, and `upflab doctor`; `unshare -Urnmpf --mount-proc upflab run --set engine=af_packet` does " +
			"without both for DUTs that need no BPF")
	}
	if err := openfiles.Check(); err != nil {
		return err
	}
	if err := host.PrepareRootless(); err != nil {
		return err
	}
	removed, err := host.CleanStale()
	said(out, removed)
	if err != nil { // it is not in the way: this run goes on
		fmt.Fprintf(out, "warning: %v\n", err)
	}
	return nil
}

// listRemoved has a line for each thing that was removed, and sumRemoved one for all.
func listRemoved(out io.Writer, removed []string) {
	for _, r := range removed {
		fmt.Fprintln(out, "removed what a killed run left:", r)
	}
}

func sumRemoved(out io.Writer, removed []string) {
	switch n := len(removed) - 1; {
	case n == 0:
		listRemoved(out, removed)
	case n > 0:
		fmt.Fprintf(out, "removed what a killed run left: %s and %s\n", removed[0], units.Plural(n, "other thing"))
	}
}

// Result starts a result.
func Result(s *scenario.Scenario) (*record.Result, error) {
	settings, err := scenario.Effective(s)
	if err != nil {
		return nil, err
	}
	return &record.Result{
		Schema: record.Schema, Run: host.NewRunID(), Scenario: s.Name, Title: s.Title, Study: s.Study,
		Settings: settings, Command: os.Args, Started: time.Now(), Tool: tool.Facts(),
	}, nil
}
