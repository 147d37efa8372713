package cli

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/atomicfile"
	"github.com/upflab/upflab/internal/behaviour/cases"
	"github.com/upflab/upflab/internal/behaviour/matrix"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/dut/drivers"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/render/junit"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/store"
	"github.com/upflab/upflab/internal/threshold"
	"github.com/upflab/upflab/internal/units"
)

// behaviourName is what `upflab run` knows the enforcement matrix by.
const behaviourName = "behaviour"

// behaviourSessions is room for the cases with many; some UPFs take no more.
const behaviourSessions = 512

// runBehaviour holds UPFs to the behaviour cases.
func runBehaviour(c *cobra.Command, f runFlags) error {
	list, err := cases.Select(f.cases)
	if err != nil {
		return configError{err}
	}
	s, err := behaviourScenario(f)
	if err != nil {
		return configError{err}
	}
	s.Name, s.Title = behaviourName, "What UPFs do with the rules that they accept"
	s.Description = "Sessions by PFCP, packets through them, and whether what arrives, is counted and is reported is what the rules ask for."
	return runCases(c, f, matrix.Plan{Scenario: s, Cases: list})
}

// runCases holds UPFs to the cases of a plan.
func runCases(c *cobra.Command, f runFlags, plan matrix.Plan) error {
	s, list := plan.Scenario, plan.Cases
	targets, absent, err := f.caseTargets()
	if err != nil {
		return err
	}
	if f.metrics != "" {
		return configError{fmt.Errorf("--metrics is for runs that measure, not for %s", s.Name)}
	}
	if err := checkOutputs(f.outputs); err != nil {
		return err
	}
	if f.dry {
		dryCases(c.OutOrStdout(), s, units.Plural(len(list), "case")+" of each, one after the other, each proved by packets", targets, f)
		return absent.orNil()
	}
	if err := ready(c); err != nil {
		return err
	}
	dir, err := runDir(c.ErrOrStderr(), f.out, s.Name)
	if err != nil {
		return err
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the folder of the result: %w", err)
	}
	r, err := begin(s)
	if err != nil {
		return err
	}
	plan.Targets, plan.Dir, plan.Save = targets, whole, func(r *record.Result) error { return store.Save(dir, r) }
	failed := matrix.Run(c.Context(), &plan, &caseProgress{newProgress(c.ErrOrStderr(), 0, false), len(list)}, r)
	r.Thresholds = threshold.CheckAll(r, s.ThresholdsOf())
	if err := writeJUnit(filepath.Join(dir, junitFile), r); err != nil {
		return errors.Join(failed, err)
	}
	err = finish(c, dir, r, failed)
	if unwritten := writeOutputs(c.Context(), f.outputs, dir, r); err == nil && unwritten != nil {
		return unwritten
	}
	if err != nil {
		return err
	}
	return verdictOf(r)
}

// junitFile is what CI systems read.
const junitFile = "junit.xml"

func writeJUnit(path string, r *record.Result) error {
	var b bytes.Buffer
	if err := junit.Write(&b, r); err != nil {
		return err
	}
	return atomicfile.Write(path, b.Bytes(), 0o644)
}

// verdictOf is the outcome of a run that finished: findings are not a failure of the run,
// but a gate has to see them.
func verdictOf(r *record.Result) error {
	n, causes := 0, 0
	for _, d := range r.DUTs {
		causes += len(d.Causes)
		for _, c := range d.Cases {
			if c.Verdict.Bad() {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	return findingsError{n, causes}
}

// findingsError ends a run of cases that has findings.
type findingsError struct{ findings, causes int }

func (e findingsError) Error() string {
	return fmt.Sprintf("%s with %s: the report has a line for each cause", units.Plural(e.findings, "finding"), units.Plural(e.causes, "cause"))
}

// behaviourScenario is where the cases run: the addresses and links of load-latency.
func behaviourScenario(f runFlags) (*scenario.Scenario, error) {
	sets := f.sets
	if !slices.ContainsFunc(sets, func(s string) bool { return strings.HasPrefix(s, "sessions=") }) {
		sets = append([]string{fmt.Sprintf("sessions=%d", behaviourSessions)}, sets...)
	}
	s, err := scenario.Open("load-latency", sets, false)
	if err != nil {
		return nil, err
	}
	s.Study = nil
	return s, nil
}

// caseTargets are the UPFs that cases are tried on, without references; with --dry-run they
// need not be installed.
func (f runFlags) caseTargets() (list []dut.Target, absent absentError, err error) {
	for _, name := range f.duts {
		t, err := drivers.Find(name, tool().Version)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(list, func(have dut.Target) bool { return have.Label() == t.Label() }) {
			return nil, nil, configError{fmt.Errorf("--dut %s is given twice", t.Label())}
		}
		if t.Version, err = t.Installed(); err != nil {
			absent = append(absent, dut.Missing(t.Info(), err))
		}
		list = append(list, t)
	}
	if len(absent) > 0 && !f.dry {
		return nil, nil, absent
	}
	return list, absent, nil
}

// caseProgress shows how a run of cases goes.
type caseProgress struct {
	*progress
	cases int
}

// Case is matrix.Observer's.
func (p *caseProgress) Case(n int, target string, c record.Case) {
	line := fmt.Sprintf("[%*d/%d] %-14s %-40s %s", len(fmt.Sprint(p.cases)), n, p.cases, target, c.ID, strings.ReplaceAll(string(c.Verdict), "_", " "))
	if c.Verdict.Bad() {
		line += ": " + c.Expected + ": " + c.Observed
	}
	p.println(line)
}
