package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/files"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/results/bisect"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// bisectMeasurer measures builds, each pair in a run of its own: bench, good, other,
// bench, good, other ...
type bisectMeasurer struct {
	command *cobra.Command
	flags   bisectFlags
	target  dut.Target
	dir     string
	runs    int
}

// scenario is what is measured; of a figure of a paced or unpaced load only that load.
func (m *bisectMeasurer) scenario(repeats int, of *bisect.Reading) (*scenario.Scenario, error) {
	s, err := inputs.OpenScenario(m.flags.scenario, append(slices.Clone(m.flags.sets), fmt.Sprintf("repeats=%d", repeats)), false)
	if err != nil || of == nil {
		return s, err
	}
	if slices.Contains(s.Directions, of.Direction) {
		s.Directions = []record.Direction{of.Direction}
	}
	for _, load := range s.Loads {
		if of.Kind == record.KindLoad && load.String() == of.Load {
			s.Loads = []record.Load{load}
			break
		}
	}
	return s, nil
}

// build is the target with another program.
func (m *bisectMeasurer) build(p bisect.Program) (dut.Target, error) {
	t, err := m.target.Built(p.Commit.Short(), m.flags.variable, p.Value)
	if err != nil {
		return dut.Target{}, bisect.BuildError{Why: fmt.Sprintf("upflab does not find its program: %v", err)}
	}
	return t, nil
}

// Measure implements bisect.Measurer: it measures both builds in turn and compares their figures.
func (m *bisectMeasurer) Measure(ctx context.Context, good, other bisect.Program, repeats int,
	of *bisect.Reading) ([]bisect.Reading, error) {
	s, err := m.scenario(repeats, of)
	if err != nil {
		return nil, err
	}
	a, err := m.build(good)
	if err != nil {
		return nil, errors.New(err.Error()) // of the good one nothing is skipped
	}
	b, err := m.build(other)
	if err != nil {
		return nil, err
	}
	references, err := drivers.References(s, tool.Facts().Version)
	if err != nil {
		return nil, err
	}
	name, r, err := m.attempt(ctx, s, append(references, a, b), other.Commit)
	if err != nil {
		return nil, err
	}
	made, err := m.flags.comparison(name, a, b, compare.Input{Name: name, Result: r})
	if err != nil {
		return nil, err
	}
	return bisect.Readings(made), nil
}

// measureAttempts is how often builds are measured where a DUT does not come up: on a busy
// machine that need not be the commit's fault.
const measureAttempts = 2

// attempt measures the targets, once more where one of them does not come up, and gives the
// folder.
func (m *bisectMeasurer) attempt(ctx context.Context, s *scenario.Scenario, targets []dut.Target,
	other bisect.Commit) (name string, r *record.Result, err error) {
	for n := range measureAttempts {
		m.runs++
		name = filepath.Join(m.dir, fmt.Sprintf("%02d-%s", m.runs, other.Short()))
		r, err = m.run(name, s, targets)
		if err == nil || ctx.Err() != nil || n == measureAttempts-1 {
			break
		}
		fmt.Fprintln(m.command.ErrOrStderr(), "bisect: once more:", err)
	}
	return name, r, err
}

// errGivenUp ends a run in which a DUT did not come up: there is nothing to compare.
var errGivenUp = errors.New("a DUT did not come up")

// allUp fails once a DUT of the result was given up.
func allUp(r *record.Result) error {
	if slices.ContainsFunc(r.DUTs, func(d record.DUT) bool { return d.Status == record.StatusFailed }) {
		return errGivenUp
	}
	return nil
}

// run measures the targets into a folder. The last of them is the one that may be broken.
func (m *bisectMeasurer) run(dir string, s *scenario.Scenario, targets []dut.Target) (*record.Result, error) {
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of a run: %w", err)
	}
	r, err := prepare.Result(s)
	if err != nil {
		return nil, err
	}
	job := &campaign.Job{Plan: plan.Plan{Scenario: s, Targets: targets}, Dir: dir,
		Save: func(r *record.Result) error { return store.Save(dir, r) }, Abort: allUp}
	failed := watched(m.command, false, false, nil, job, r)
	if errors.Is(failed, errGivenUp) {
		failed = nil // said below, by its name
	}
	r.Finished = time.Now()
	err = errors.Join(failed, store.Save(dir, r))
	if d, unmade := sections.Report(r, sections.Options{}); unmade == nil {
		err = errors.Join(err, files.Write(dir, d))
	}
	if err != nil {
		return r, err
	}
	for i, d := range r.DUTs {
		switch {
		case d.Status != record.StatusFailed:
		case i == len(targets)-1:
			return r, bisect.BuildError{Why: fmt.Sprintf("its UPF does not run: %s", d.Error)}
		default:
			return r, exit.OfDUT(&d)
		}
	}
	return r, nil
}
