package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/cli/outputs"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/report/render/files"
	"github.com/upflab/upflab/internal/report/sections/bisection"
	"github.com/upflab/upflab/internal/results/bisect"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

// bisectFlags are the flags of `upflab bisect`.
type bisectFlags struct {
	good, bad, repo, dut string
	program, variable    string
	scenario, out        string
	sets, metrics        []string
	threshold            flags.Ratio
	repeats, mostRepeats int
	layouts              int
}

func newBisect() *cobra.Command {
	var f bisectFlags
	c := &cobra.Command{
		Use:   "bisect --good REF --bad REF --dut NAME[:MODE] --program PATH -- BUILD-COMMAND...",
		Short: "Find the commit that made a UPF slower: build and measure the commits between two",
		Long: `Find the commit that made a UPF slower. upflab builds good and bad and measures them in
turn. When they differ, it halves the commits between them. It builds each one in a git work
tree below the folder for temporary files, measures it in turn with the good one, and decides:
slower, not slower, or inconclusive. It skips a commit that does not build or run.

The search uses the figure in which good and bad differ most clearly. A commit is slower when
it is worse than good by more than half of that, or by more than --threshold. Where the
repeats do not decide, it measures more, up to --max-repeats. Where the code lies in a program
makes it faster or slower, so it builds the commits in other layouts, too, up to --layouts.

It does not check anything out in the repository, and runs no hooks. Under sudo, git and the
build command run as the user who called it. The build command runs in the work tree.

Exit status: 0 when the commit was found; 1 when good or bad could not be built or measured.
3 is inconclusive: good and bad do not differ for certain, or several commits are left.`,
		Example: `  upflab bisect --good v0.7.0 --bad main --dut eupf:native --program bin/eupf -- make build
  upflab bisect --good HEAD~20 --bad HEAD --repo ~/eupf --dut eupf --program eupf \
      --set loads=max --set duration=2s --metrics rx_pps -- go build -o eupf ./cmd`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no build command: write it after --, as in: -- make")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return runBisect(c, f, args) },
	}
	c.Flags().SetInterspersed(false)
	c.Flags().StringVar(&f.good, "good", "", "`COMMIT` that is not slower (required)")
	c.Flags().StringVar(&f.bad, "bad", "HEAD", "`COMMIT` that is slower")
	c.Flags().StringVar(&f.repo, "repo", ".", "`FOLDER` of the git repository")
	c.Flags().StringVar(&f.dut, "dut", "", "the UPF as upflab calls it, `NAME[:MODE]` (required; see upflab dut list)")
	c.Flags().StringVar(&f.program, "program", "",
		"`PATH` in the work tree of the program that the build makes (required); {} is the work tree, as in 'perf "+
			"record {}/eupf'")
	c.Flags().StringVar(&f.variable, "variable", "",
		"environment `VARIABLE` that names the program to upflab; default: UPFLAB_NAME of the DUT")
	c.Flags().StringVar(&f.scenario, "scenario", "load-latency",
		"`SCENARIO` to measure, a name or a .yaml file; once the figure is known, only its load and direction")
	c.Flags().StringArrayVar(&f.sets, "set", nil, "change a setting of the scenario, `KEY=VALUE`; may be repeated")
	c.Flags().StringSliceVar(&f.metrics, "metrics", []string{"rx_pps", "frame_loss_ratio", "cpu_ns_per_packet"},
		"look at these figures only: `FIGURE,FIGURE...`")
	c.Flags().Var(&f.threshold, "threshold",
		"slow-down, a `RATIO`, from which a commit is slower (of frame loss: percentage points); default: half of that "+
			"between good and bad")
	c.Flags().IntVar(&f.repeats, "repeats", 5, "measure both builds `N` times, in turn; 3 or more")
	c.Flags().IntVar(&f.mostRepeats, "max-repeats", 20, "measure at most `N` times, where --repeats do not decide")
	c.Flags().IntVar(&f.layouts, "layouts", 4, "build in at most `N` layouts of the code, where one does not decide")
	c.Flags().StringVar(&f.out, "out", "", "`FOLDER` for the results; default: a new one below ./results")
	return c
}

// check refuses what cannot be meant.
func (f bisectFlags) check() error {
	switch {
	case f.good == "":
		return errors.New("--good is needed: the last commit that is known not to be slower")
	case f.dut == "":
		return errors.New("--dut is needed: what upflab calls the UPF, as eupf:native (upflab dut list)")
	case f.program == "":
		return errors.New("--program is needed: where the build command leaves the UPF's program, within the work tree")
	case filepath.IsAbs(f.program) && !strings.Contains(f.program, "{}"):
		return fmt.Errorf("--program %s is not in a work tree: give a path within it, or {} for the work tree's folder", f.program)
	case f.layouts < 1:
		return fmt.Errorf("--layouts %d: 1 or more", f.layouts)
	case f.repeats < 3 || f.mostRepeats < f.repeats:
		return fmt.Errorf("--repeats %d, --max-repeats %d: 3 at least, for fewer say nothing of the scatter, and "+
			"not more at first than at most", f.repeats, f.mostRepeats)
	}
	return flags.KnownFigures("--metrics", f.metrics)
}

func runBisect(c *cobra.Command, f bisectFlags, build []string) (err error) {
	if err := f.check(); err != nil {
		return exit.WrongUsage(c, err)
	}
	target, err := drivers.Find(f.dut, tool.Facts().Version)
	if err != nil {
		return err
	}
	info := target.Info()
	if info.External {
		return exit.WrongConfig(fmt.Errorf("--dut %s: upflab does not start it, and cannot change its program", f.dut))
	}
	if f.variable == "" {
		f.variable = dut.Variable(info)
	}
	m := &bisectMeasurer{command: c, flags: f, target: target}
	if _, err := m.scenario(f.repeats, nil); err != nil {
		return exit.WrongConfig(err)
	}
	repo, err := bisect.OpenRepository(c.Context(), f.repo)
	if err != nil {
		return exit.WrongConfig(err)
	}
	r := &bisect.Result{Schema: bisect.Schema, Tool: tool.Facts().Version, Repository: repo.Dir, DUT: f.dut,
		Scenario: f.scenario, Build: build, Started: time.Now(), Checked: []bisect.Reading{}}
	if err := ends(c, repo, f, r); err != nil {
		return exit.WrongConfig(err)
	}
	if err := prepare.Machine(c.ErrOrStderr()); err != nil {
		return err
	}
	claim, err := host.NewClaim(host.NewRunID())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	trees, notices, err := bisect.NewWorktrees(c.Context(), repo)
	for _, notice := range notices {
		fmt.Fprintln(c.ErrOrStderr(), notice)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trees.Close()) }()
	if m.dir, err = outputs.Folder(f.out, "bisect"); err != nil {
		return err
	}
	if m.dir, err = filepath.Abs(m.dir); err != nil {
		return fmt.Errorf("find the folder of the result: %w", err)
	}
	s := &bisect.Search{
		Repo: repo, Builder: bisect.Command{Trees: trees, Claim: claim, Args: build, Program: f.program, Logs: m.dir}, Measure: m,
		Repeats: f.repeats, MaxRepeats: f.mostRepeats, Layouts: f.layouts, Limit: float64(f.threshold),
		Progress: func(text string) { fmt.Fprintln(c.ErrOrStderr(), "bisect:", text) },
		Save:     func(r *bisect.Result) error { return saveBisection(m.dir, r) },
	}
	failed := s.Run(c.Context(), r)
	return finishBisection(c, m.dir, r, failed)
}

// ends finds the commits that the user named.
func ends(c *cobra.Command, repo *bisect.Repository, f bisectFlags, r *bisect.Result) (err error) {
	if r.Good, err = repo.Commit(c.Context(), f.good); err != nil {
		return fmt.Errorf("--good: %w", err)
	}
	if r.Bad, err = repo.Commit(c.Context(), f.bad); err != nil {
		return fmt.Errorf("--bad: %w", err)
	}
	if r.Good.ID == r.Bad.ID {
		return fmt.Errorf("--good %s and --bad %s are the same commit: give two, of which the second is slower", f.good, f.bad)
	}
	return nil
}

// saveBisection writes what is known so far.
func saveBisection(dir string, r *bisect.Result) error {
	body, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, "bisect.json"), append(body, '\n'), 0o644)
}

// finishBisection writes the report and turns the answer into the command's outcome.
func finishBisection(c *cobra.Command, dir string, r *bisect.Result, failed error) error {
	d := bisection.Report(r)
	err := errors.Join(failed, files.Write(dir, d))
	if len(r.Checked) > 0 {
		err = errors.Join(err, console.Document(c.OutOrStdout(), d))
	}
	fmt.Fprintf(c.OutOrStdout(), "\n%s\nreport: %s/report.html\n", bisection.Summary(r), dir)
	if err == nil && r.Outcome != bisect.Found {
		return exit.Inconclusive(errors.New(bisection.Summary(r)))
	}
	return err
}

var _ bisect.Measurer = (*bisectMeasurer)(nil)

// comparison compares the two builds of a run.
func (f bisectFlags) comparison(name string, good, other dut.Target, in compare.Input) (*compare.Comparison, error) {
	o, err := (flags.Comparison{Metrics: f.metrics}).Options()
	if err != nil {
		return nil, err
	}
	o.DUT, o.Against = good.Label(), other.Label()
	made, err := compare.Compare(in, in, o)
	if err != nil {
		return nil, fmt.Errorf("compare the builds in %s: %w", filepath.Join(name, store.FileName), err)
	}
	return made, nil
}
