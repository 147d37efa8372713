package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/files"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// dossierOf are the scenarios that a dossier is made of: findings and leaks, telemetry, rates, the load that is safe.
func dossierOf() []string { return []string{"behaviour", "telemetry", "ndr", "stress"} }

// dossierFlags are the flags of `upflab dossier`.
type dossierFlags struct {
	dut, out     string
	skip         []string
	stored, plan bool
}

func newDossier() *cobra.Command {
	var f dossierFlags
	c := &cobra.Command{Use: "dossier [DIR] --dut NAME[:MODE]", Short: "Write one page on a UPF for those who maintain it", Args: cobra.MaximumNArgs(1),
		Long: `Write a page on a UPF, as report.md and report.html: findings with what reproduces them, rates,
safe load, truth of telemetry, and leaks. It is made from the newest complete results of the UPF in
DIR (default: results), of the scenarios behaviour, telemetry, ndr and stress. Results of chosen
cases or with other settings than these scenarios have do not count, but for addresses, devices,
CPUs and repeats. All have one mode. What is missing is run first.`,
		Example: `  sudo upflab dossier --dut open5gs
  upflab dossier results --dut open5gs:tun --stored`,
		RunE: func(c *cobra.Command, args []string) error {
			return f.write(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), inputs.ResultsIn(args))
		},
	}
	c.Flags().StringVar(&f.dut, "dut", "", "the `NAME[:MODE]` of the UPF, as in `upflab dut list`")
	c.Flags().StringVar(&f.out, "out", "", "`FOLDER` for the page; default: DIR/dossier-NAME")
	c.Flags().StringSliceVar(&f.skip, "skip", nil, "`SCENARIOS` to leave out, of behaviour, telemetry, ndr and stress")
	c.Flags().BoolVar(&f.stored, "stored", false, "run nothing: the page names what is missing")
	c.Flags().BoolVar(&f.plan, "dry-run", false, "print which results there are and what would be run; do nothing")
	_ = c.MarkFlagRequired("dut")
	return c
}

// stored is what a dossier has: a result for each scenario that is there.
type stored struct {
	parts   []sections.Part
	missing []string
	label   string // of the UPF in the results; "": there are none
}

func (f *dossierFlags) write(ctx context.Context, out, errs io.Writer, dir string) error {
	for _, name := range f.skip {
		if !slices.Contains(dossierOf(), name) {
			return exit.WrongConfig(fmt.Errorf("--skip %s: a dossier has no such part; it has %s", name, strings.Join(dossierOf(), ", ")))
		}
	}
	have, err := f.find(ctx, dir)
	if err != nil {
		return err
	}
	if f.plan {
		return have.plan(out, cmp.Or(have.label, f.dut))
	}
	if !f.stored {
		for _, name := range have.missing {
			if err := f.run(ctx, out, errs, dir, name, cmp.Or(have.label, f.dut)); err != nil {
				return err
			}
		}
		if have, err = f.find(ctx, dir); err != nil {
			return err
		}
	}
	if len(have.parts) == 0 {
		return exit.WrongConfig(fmt.Errorf("%s has no complete result of %s: leave --stored out to run what is missing", dir, f.dut))
	}
	return have.page(out, cmp.Or(f.out, filepath.Join(dir, "dossier-"+fileName(f.dut))))
}

// find chooses the newest complete result of each scenario. All are of one label, that of the first which is there.
func (f *dossierFlags) find(ctx context.Context, dir string) (s stored, err error) {
	list := []*history.Run{}
	if _, err := os.Stat(dir); err == nil {
		index, err := history.OpenInMemory(dir)
		if err != nil {
			return s, err
		}
		if _, err := index.Update(ctx); err != nil {
			return s, err
		}
		list = index.Runs(history.Filter{DUT: f.dut})
	}
	slices.Reverse(list) // the newest first
	for _, name := range dossierOf() {
		if slices.Contains(f.skip, name) {
			continue
		}
		part, label, err := f.newest(list, dir, name, s.label)
		switch {
		case err != nil:
			return s, err
		case label == "":
			s.missing = append(s.missing, name)
		default:
			s.label, s.parts = label, append(s.parts, part)
		}
	}
	return s, nil
}

// newest is the first of the runs, the newest first, that is a whole run of the scenario with the UPF, and the UPF's label in it; "":
// there is none. only is the label that it has to have; "": any of the UPF.
func (f *dossierFlags) newest(list []*history.Run, dir, name, only string) (p sections.Part, label string, err error) {
	for _, r := range list {
		label := f.labelIn(r, only)
		if r.Scenario != name || !r.Complete || label == "" {
			continue
		}
		p := sections.Part{Folder: r.Folder(dir)}
		if p.Result, err = inputs.LoadResult(p.Folder); err != nil {
			return p, "", err
		}
		whole, err := isWhole(p.Result)
		if err != nil || whole {
			return p, label, err
		}
	}
	return p, "", nil
}

// labelIn is the label of the UPF in a run, where it did not fail: only, or of no such any that is the UPF's; "": there is none.
func (f *dossierFlags) labelIn(r *history.Run, only string) string {
	for _, d := range r.DUTs {
		if f.means(d.Label) && (only == "" || d.Label == only) && d.Status != record.StatusFailed {
			return d.Label
		}
	}
	return ""
}

// isWhole reports whether a run did what its scenario in the catalog asks for, or that with --full: all of its cases, with its settings.
func isWhole(r *record.Result) (bool, error) {
	ran, err := scenario.Read([]byte(r.Settings), "settings of the result")
	if err != nil {
		return false, nil // of another version of upflab, which asked for something else
	}
	settings, err := scenario.Effective(ran)
	for _, full := range []bool{false, true} {
		asked, errOpen := scenario.Open(r.Scenario, nil, full)
		if err = errors.Join(err, errOpen); err != nil {
			return false, err
		}
		of, err := scenario.Effective(asked)
		if err != nil || compare.SameTask(of, settings) {
			return err == nil, err
		}
	}
	return false, nil
}

// means reports whether a label is that of the UPF: with its mode, or with any where none is named.
func (f *dossierFlags) means(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return label == f.dut || name == f.dut
}

// run has upflab run a scenario with the UPF of a label. Findings and figures that are not valid are no failure: they are on the page.
func (f *dossierFlags) run(ctx context.Context, out, errs io.Writer, dir, name, label string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	to := filepath.Join(dir, time.Now().UTC().Format("20060102-150405")+"-"+name)
	args := []string{"run", name, "--dut", label, "--out", to}
	fmt.Fprintf(out, "upflab %s\n", strings.Join(args, " "))
	c := exec.CommandContext(ctx, self, args...)
	c.Cancel, c.WaitDelay = func() error { return c.Process.Signal(os.Interrupt) }, time.Minute
	c.Stdout, c.Stderr = out, errs
	err = c.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ended) && (ended.ExitCode() == exit.Invalid || ended.ExitCode() == exit.Worse):
		return nil
	case errors.As(err, &ended) && ended.ExitCode() == exit.Usage:
		return exit.WrongConfig(fmt.Errorf("upflab run %s refuses to run with --dut %s, as it says above; --skip %s leaves it out", name, label, name))
	case err != nil:
		return fmt.Errorf("upflab run %s --dut %s: %w; leave it out by --skip %s, or use what there is by --stored", name, label, err, name)
	}
	return nil
}

// plan says what there is and what would be run.
func (s *stored) plan(out io.Writer, dut string) error {
	for _, p := range s.parts {
		fmt.Fprintf(out, "%-10s from %s\n", p.Result.Scenario, p.Folder)
	}
	for _, name := range s.missing {
		fmt.Fprintf(out, "%-10s is missing: upflab run %s --dut %s\n", name, name, dut)
	}
	return nil
}

// page writes the page, and a reproducer for each finding.
func (s *stored) page(out io.Writer, to string) error {
	if err := safefile.MakeFolder(to, 0o755); err != nil {
		return err
	}
	var shown []sections.Reproducer
	for _, p := range s.parts {
		for i := range p.Result.DUTs {
			d := &p.Result.DUTs[i]
			for n := range d.Cases {
				if c := &d.Cases[n]; c.Verdict.Bad() && compare.Label(d) == s.label {
					shown = append(shown, s.reproduce(p, c.ID, to))
				}
			}
		}
	}
	if err := files.Write(to, sections.Dossier(s.label, s.parts, shown, s.missing, time.Now())); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s: report.md, report.html, %d reproducers\n", to, len(shown))
	return err
}

// reproduce writes what shows a finding. What is there of the same run stays.
func (s *stored) reproduce(p sections.Part, id, to string) sections.Reproducer {
	name := fileName(id + "-" + p.Result.Run)
	x := sections.Reproducer{Case: id, Folder: name}
	if _, err := os.Stat(filepath.Join(to, name, "reproduce.py")); err == nil {
		return x
	}
	if err := reportFinding(io.Discard, p.Folder, reportFlags{id: id, dut: s.label, out: filepath.Join(to, name)}); err != nil {
		return sections.Reproducer{Case: id, Why: err.Error()}
	}
	return x
}
