package measure

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/reproducer"
)

// reportFlags are the flags of `upflab behaviour report`.
type reportFlags struct{ id, dut, out string }

func newBehaviourReport() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{Use: "report DIR --case ID", Short: "Write what shows a finding without upflab, for a bug report", Args: cobra.ExactArgs(1),
		Long: `Write a folder for the developers of a UPF, from a result with a finding. report.md is the text
of a bug report with the clause. reproduce.py sends the case's packets again and says what came
then and now; it needs Python alone. In packets.pcapng each packet that was sent has a comment
that says what is to become of it.`,
		Example: `  upflab behaviour report results/2026-11-28_behaviour --case far.buffer
  python3 far.buffer-eupf/reproduce.py --help`,
		RunE: func(c *cobra.Command, args []string) error { return reportFinding(c.OutOrStdout(), args[0], f) },
	}
	c.Flags().StringVar(&f.id, "case", "", "the `ID` of the case with the finding")
	c.Flags().StringVar(&f.dut, "dut", "", "the `NAME` of the UPF in the result; needed where several have the finding")
	c.Flags().StringVar(&f.out, "out", "", "`FOLDER` to write, new or empty; default: the case's ID and the UPF's name")
	_ = c.MarkFlagRequired("case")
	return c
}

func reportFinding(out io.Writer, path string, f reportFlags) error {
	r, err := inputs.LoadResult(path)
	if err != nil {
		return err
	}
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir = filepath.Dir(path)
	}
	d, row, err := findingOf(r, f)
	if err != nil {
		return exit.WrongConfig(err)
	}
	packets, err := fileOf(dir, row.Capture)
	if err != nil {
		return exit.WrongConfig(fmt.Errorf("%s of %s: read its packets: %w", row.ID, compare.Label(d), err))
	}
	one := reproducer.Finding{Case: row, UPF: strings.TrimSpace(compare.Label(d) + " " + d.Version), Machine: "Linux " + r.Host.Kernel,
		Tool: "upflab " + r.Tool.Version, Date: r.Started, Steps: stepsOf(row.ID)}
	to := cmp.Or(f.out, fileName(row.ID+"-"+compare.Label(d)))
	if err := reproducer.Write(to, one, packets); err != nil {
		return exit.WrongConfig(err)
	}
	fmt.Fprintf(out, "%s: %s, %s and %s\n", to, reproducer.Text, reproducer.Script, reproducer.Capture)
	return nil
}

// findingOf is the case with a finding that the flags name, and its UPF.
func findingOf(r *record.Result, f reportFlags) (d *record.DUT, row *record.Case, err error) {
	var have, duts []string
	for i := range r.DUTs {
		one := &r.DUTs[i]
		for n := range one.Cases {
			c := &one.Cases[n]
			if !c.Verdict.Bad() || c.Capture == "" {
				continue
			}
			have = append(have, c.ID)
			if c.ID == f.id {
				duts = append(duts, compare.Label(one))
				if f.dut == "" || f.dut == compare.Label(one) {
					d, row = one, c
				}
			}
		}
	}
	switch {
	case len(have) == 0:
		return nil, nil, errors.New("the result has no finding with packets: `upflab run behaviour` makes some")
	case len(duts) == 0:
		slices.Sort(have)
		return nil, nil, fmt.Errorf("there is no finding %s with packets; there are: %s", f.id, strings.Join(slices.Compact(have), ", "))
	case row == nil:
		return nil, nil, fmt.Errorf("%s is no finding of --dut %s; it is one of: %s", f.id, f.dut, strings.Join(duts, ", "))
	case f.dut == "" && len(duts) > 1:
		return nil, nil, fmt.Errorf("%s is a finding in several UPFs: name one by --dut: %s", f.id, strings.Join(duts, ", "))
	}
	return d, row, nil
}

// fileName is a name of somebody's result without what would lead elsewhere.
func fileName(s string) string {
	return strings.Trim(regexp.MustCompile(`[^A-Za-z0-9.-]+`).ReplaceAllString(s, "-"), ".-")
}

// fileOf reads a file that a result names, and none outside of its folder.
func fileOf(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.ReadFile(name)
}

// stepsOf are what a case does, with sample addresses; none where this version does not have it.
func stepsOf(id string) (list []string) {
	for _, c := range AllCases() {
		if c.ID == id {
			for _, s := range c.Steps(behaviour.Sample()) {
				list = append(list, s.Text)
			}
		}
	}
	return list
}
