// Package verify computes the figures of a result again from its raw data, by the functions that the run
// itself computed them with, and compares each number.
package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/upflab/upflab/internal/analysis/modelling"
	"github.com/upflab/upflab/internal/analysis/sequential"
	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/analysis/uncertainty"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/rawdata"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Report is what came of a comparison.
type Report struct {
	Trials  int          // that were computed again
	Agree   int          // values that are the same
	Differs []Difference // in the order of the file
	// Unmatched are sentences about trials without their raw data, and raw data without their trial.
	Unmatched []string
	Not       []Not // values that do not follow from raw data
}

// Difference is a value of the result that is not what the raw data come to.
type Difference struct {
	Path      string // "duts[1].trials[0].rx_pps"
	Has, Want string // as JSON; "": it is not there
}

// Not is a group of values that are not computed again.
type Not struct {
	What, Why string
	Values    int
}

// Folder verifies the result in a folder. An error means that there is nothing to compare with.
func Folder(dir string) (*Report, error) {
	text, err := safefile.Read(filepath.Join(dir, store.FileName), store.Whole.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading a result: %w; name the folder of a run", err)
	}
	given, err := store.Load(dir)
	if err != nil {
		return nil, err
	}
	raw, err := rawdata.Open(dir, given)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	r, err := against(text, given, raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return r, nil
}

// against compares a result, its text and what is read of it, with its raw data.
func against(text []byte, given *record.Result, raw *rawdata.Run) (*Report, error) {
	again, covers, err := recompute(given, raw)
	if err != nil {
		return nil, err
	}
	r, err := compare(text, again, covers)
	if err != nil {
		return nil, err
	}
	if r.Unmatched, err = unmatched(given, raw); err != nil {
		return nil, err
	}
	if r.Trials == 0 && len(r.Differs)+len(r.Unmatched) == 0 {
		return nil, errors.New("no trial of it has raw data: there is nothing to compare its figures with")
	}
	return r, nil
}

// coverage says which parts of a result were computed again, by their paths.
type coverage struct {
	paths, except []string
	trials        int
}

func (c *coverage) add(format string, args ...any) {
	c.paths = append(c.paths, fmt.Sprintf(format, args...))
}

// recompute gives the result that the raw data come to. What does not follow from them is as given.
func recompute(given *record.Result, raw *rawdata.Run) (*record.Result, *coverage, error) {
	s, err := scenario.Read([]byte(given.Settings), "settings of the result")
	if err != nil {
		return nil, nil, fmt.Errorf("its scenario cannot be read: %w", err)
	}
	again, c := clone(given), &coverage{}
	settled := record.Register(given, raw.Registered.Planned, raw.Registered.At)
	settled.Analysis = raw.Registered.Analysis
	again.Registered = raw.Registered
	c.add("registered")
	if *digests(settled) != *digests(raw.Registered) {
		return nil, nil, fmt.Errorf("the scenario of the result is not the one that was settled before the first packet: SHA-256 %s, and then %s",
			settled.Scenario, raw.Registered.Scenario)
	}
	if raw.Data().Trials != raw.Trials() {
		return nil, nil, fmt.Errorf("the result says that %d trials have raw data, and %d have", raw.Data().Trials, raw.Trials())
	}
	for i := range again.DUTs {
		d := &again.DUTs[i]
		for j := range d.Trials {
			if d.Trials[j].Raw == 0 {
				continue
			}
			t, err := trialOf(raw, s, d, &d.Trials[j])
			if err != nil {
				return nil, nil, err
			}
			c.trials++
			c.add("duts[%d].trials[%d]", i, j)
			t.Reasons = c.noted(fmt.Sprintf("duts[%d].trials[%d]", i, j), d.Trials[j].Reasons, t.Reasons)
			d.Trials[j] = t
		}
	}
	for i := range again.DUTs {
		for j := range again.DUTs[i].Searches {
			if err := searchAgain(raw, s, again, i, j, c); err != nil {
				return nil, nil, err
			}
		}
	}
	if again.Calibration != nil && again.Calibration.Certificate != "" {
		again.Calibration.Seal()
		c.add("calibration.certificate")
	}
	derive(again, s, c)
	return again, c, nil
}

// digests are those of what was settled.
func digests(r *record.Registered) *[4]string {
	return &[4]string{r.Scenario, r.Plan, r.Analysis, r.SHA256}
}

// noted are the reasons of a trial, those with it that the run added. These are listed as not computed.
func (c *coverage) noted(path string, given, computed []string) []string {
	n := len(computed)
	if len(given) < n || !slices.Equal(given[:n], computed) {
		return computed
	}
	if n == 0 && len(given) > 0 {
		c.except = append(c.except, path+".reasons ")
	}
	for i := n; i < len(given); i++ {
		c.except = append(c.except, fmt.Sprintf("%s.reasons[%d]", path, i))
	}
	return given
}

// trialOf computes a trial.
func trialOf(raw *rawdata.Run, s *scenario.Scenario, d *record.DUT, given *record.Trial) (record.Trial, error) {
	r, err := raw.Trial(given.Raw)
	if err != nil {
		return record.Trial{}, err
	}
	if r.DUT != d.Label() {
		return record.Trial{}, fmt.Errorf("raw data of trial %d are of %s, and the result has them for %s", given.Raw, r.DUT, d.Label())
	}
	t := r.Recompute(s)
	t.Raw = given.Raw
	return t, nil
}

// derive computes what follows from the trials.
func derive(r *record.Result, s *scenario.Scenario, c *coverage) {
	if s.Stress.Asked() {
		modelling.Study(r, modelling.Options{Targets: s.Stress.LoadTargets()})
		for i := range r.DUTs {
			c.add("duts[%d].models", i)
			c.add("duts[%d].safe_load", i)
			c.add("duts[%d].stress.service_times", i)
		}
	}
	if !r.Complete && r.Uncertainty == nil && r.Thresholds == nil {
		return // the run was killed before it came to them
	}
	if r.Until != nil {
		sequential.Look(r)
		c.add("until.known")
		c.add("until.verdict")
	}
	r.Uncertainty = uncertainty.Budgets(r)
	r.Thresholds = threshold.CheckAll(r, s.ThresholdsOf())
	c.add("uncertainty")
	c.add("thresholds")
}

// clone is a result of its own.
func clone(r *record.Result) *record.Result {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it was read as JSON
	}
	again, err := store.Decode(text)
	if err != nil {
		panic(err)
	}
	return again
}
