package prove

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/check/selftest"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/text/scratch"
	"github.com/upflab/upflab/internal/text/spelling"
)

type selftestFlags struct {
	quick, all bool
	out, only  string
	engine     string
}

func newSelftest() *cobra.Command {
	var f selftestFlags
	c := &cobra.Command{
		Use: "selftest", Short: "Check upflab against a UPF whose behaviour is known exactly", Args: cobra.NoArgs,
		Long: `Measure the calibrator, a UPF whose behaviour is known exactly, in many ways, and compare
what upflab reports with the calibrator's ledger. Counts must agree packet for packet, times
within 2 µs + 1 %, rates within 1 %, and each trial must name the right limit.

The exit status is 1 when anything is wrong. docs/selftest.md explains the table.`,
		Example: `  upflab selftest --quick
  upflab selftest --only delay --all`,
		RunE: func(c *cobra.Command, _ []string) error { return runSelftest(c, f) },
	}
	c.Flags().BoolVar(&f.quick, "quick", false, "trials of a second, and no searches")
	c.Flags().BoolVar(&f.all, "all", false, "show every row of the table, even those that are 0 and should be")
	c.Flags().StringVar(&f.only, "only", "",
		"run one `EXPERIMENT`, such as counts or 'non-drop rate'; completion and a wrong name list all of them")
	c.Flags().StringVar(&f.engine, "engine", "auto", "`ENGINE` that sends and receives: auto, xdp, af_xdp, af_packet")
	c.Flags().StringVar(&f.out, "out", "", "keep the results of the experiments in this `FOLDER`")
	return c
}

func runSelftest(c *cobra.Command, f selftestFlags) error {
	if f.only != "" && !slices.Contains(selftest.Names(), f.only) {
		return exit.WrongUsage(c, fmt.Errorf("--only %s: there is no such experiment%s; there are: %s", f.only, spelling.DidYouMean(f.only, selftest.Names()), strings.Join(selftest.Names(), ", ")))
	}
	if err := prepare.Machine(c.ErrOrStderr()); err != nil {
		return err
	}
	dir, done, err := selftestDir(f.out)
	if err != nil {
		return err
	}
	defer done()
	test := &selftest.Test{
		Quick: f.quick, Only: f.only, Dir: dir, Begin: prepare.Result, Targets: selftestTargets, Engine: f.engine,
		Say: func(what string) { fmt.Fprintln(c.ErrOrStderr(), what) },
	}
	rows, skipped, failed := test.Run(c.Context())
	return tellSelftest(c, f, dir, rows, skipped, failed)
}

// selftestTargets leaves out the wire that a run adds.
func selftestTargets(names []string, s *scenario.Scenario) ([]dut.Target, error) {
	targets, err := drivers.Targets(names, s, tool.Facts().Version)
	return slices.DeleteFunc(targets, func(t dut.Target) bool {
		return t.Label() == "wire" && !slices.Contains(names, "wire")
	}), err
}

// selftestDir is the folder of the results; done removes one that is not to be kept.
func selftestDir(out string) (dir string, done func() error, err error) {
	if out == "" {
		f, err := scratch.New("selftest")
		if err != nil {
			return "", nil, err
		}
		return f.Path, f.Close, nil
	}
	whole, err := filepath.Abs(out) // a DUT need not run in our folder
	if err == nil {
		err = safefile.MakeFolder(whole, 0o755)
	}
	if err != nil {
		return "", nil, fmt.Errorf("make the folder of the results: %w", err)
	}
	return whole, func() error { return nil }, nil
}

// tellSelftest prints and keeps the rows, also those before a failure.
func tellSelftest(c *cobra.Command, f selftestFlags, dir string, rows []selftest.Row, skipped []string, failed error) error {
	w := c.OutOrStdout()
	if err := selftest.Print(w, rows, f.all); err != nil {
		return err
	}
	for _, s := range skipped {
		fmt.Fprintln(w, "left out:", s)
	}
	if f.out != "" {
		text, err := json.MarshalIndent(rows, "", "  ")
		if err == nil {
			err = safefile.Write(filepath.Join(dir, "selftest.json"), text, 0o644)
		}
		if err != nil {
			return fmt.Errorf("keep the table: %w", err)
		}
	}
	if failed != nil {
		return failed
	}
	wrong := 0
	for _, r := range rows {
		if !r.Pass {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("selftest: %d of %d figures are wrong: is the machine busy? If not, upflab is at fault", wrong, len(rows))
	}
	fmt.Fprintf(w, "\nall %d figures are right\n", len(rows))
	return nil
}
