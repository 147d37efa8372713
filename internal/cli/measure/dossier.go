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
DIR (default: results), of the scenarios behaviour, telemetry, ndr and stress. What is missing is
run first.`,
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
		return have.plan(out, f.dut)
	}
	if !f.stored {
		for _, scenario := range have.missing {
			if err := f.run(ctx, out, errs, dir, scenario); err != nil {
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

// find chooses the newest complete result of each scenario.
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
	for _, scenario := range dossierOf() {
		if slices.Contains(f.skip, scenario) {
			continue
		}
		var path string
		for _, r := range list {
			if r.Scenario == scenario && r.Complete && f.ran(r) {
				path = filepath.Join(dir, filepath.FromSlash(r.Path))
			}
		}
		if path == "" {
			s.missing = append(s.missing, scenario)
			continue
		}
		r, err := inputs.LoadResult(path)
		if err != nil {
			return s, err
		}
		if s.label = cmp.Or(s.label, f.labelIn(r)); s.label == f.labelIn(r) {
			s.parts = append(s.parts, sections.Part{Result: r, Folder: path})
		}
	}
	return s, nil
}

// ran reports whether a run measured the UPF itself, and it did not fail.
func (f *dossierFlags) ran(r *history.Run) bool {
	return slices.ContainsFunc(r.DUTs, func(d history.DUT) bool {
		return f.means(d.Label) && d.Status != record.StatusFailed
	})
}

// means reports whether a label is that of the UPF: with its mode, or with any where none is named.
func (f *dossierFlags) means(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return label == f.dut || name == f.dut
}

func (f *dossierFlags) labelIn(r *record.Result) string {
	for i := range r.DUTs {
		if label := compare.Label(&r.DUTs[i]); f.means(label) {
			return label
		}
	}
	return ""
}

// run has upflab run a scenario. Findings and figures that are not valid are no failure: they are on the page.
func (f *dossierFlags) run(ctx context.Context, out, errs io.Writer, dir, scenario string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	to := filepath.Join(dir, time.Now().UTC().Format("20060102-150405")+"-"+scenario)
	args := []string{"run", scenario, "--dut", f.dut, "--out", to}
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
		return exit.WrongConfig(fmt.Errorf("upflab run %s refuses to run with --dut %s, as it says above; --skip %s leaves it out", scenario, f.dut, scenario))
	case err != nil:
		return fmt.Errorf("upflab run %s --dut %s: %w; leave it out by --skip %s, or use what there is by --stored", scenario, f.dut, err, scenario)
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
