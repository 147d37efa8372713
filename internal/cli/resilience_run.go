package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/resilience"
	"github.com/upflab/upflab/internal/resilience/runs"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/store"
	"github.com/upflab/upflab/internal/units"
)

// resilienceName is what `upflab run` knows the incidents by.
const resilienceName = "resilience"

// runResilience lets incidents happen to UPFs.
func runResilience(c *cobra.Command, f runFlags) error {
	kinds, err := resilience.Select(f.cases)
	if err != nil {
		return configError{err}
	}
	s, err := scenario.Open("load-latency", append([]string{"ue.pool=10.44.0.0/14", "ue.first=10.45.0.2"}, f.sets...), false)
	if err != nil {
		return configError{err}
	}
	s.Name, s.Title, s.Study = resilienceName, "What users lose when they move or something fails", nil
	s.Description = "Numbered packets of some UEs in both directions, one incident meanwhile, and which packets are missing."
	targets, absent, err := f.caseTargets()
	if err != nil {
		return err
	}
	if f.metrics != "" {
		return configError{fmt.Errorf("--metrics is for runs that measure, not for %s", resilienceName)}
	}
	if err := checkOutputs(f.outputs); err != nil {
		return err
	}
	if f.dry {
		dryCases(c.OutOrStdout(), s, units.Plural(len(kinds), "incident")+" of each, one after the other", targets, f)
		return absent.orNil()
	}
	if err := ready(c); err != nil {
		return err
	}
	dir, err := runDir(c.ErrOrStderr(), f.out, resilienceName)
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
	plan := &runs.Plan{Scenario: s, Targets: targets, Kinds: kinds, Dir: whole, Save: func(r *record.Result) error { return store.Save(dir, r) }}
	failed := runs.Run(c.Context(), plan, &incidentProgress{newProgress(c.ErrOrStderr(), 0, false)}, r)
	err = finish(c, dir, r, failed)
	if unwritten := writeOutputs(c.Context(), f.outputs, dir, r); err == nil {
		return unwritten
	}
	return err
}

// incidentProgress shows how a run of incidents goes.
type incidentProgress struct{ *progress }

// Incident is runs.Observer's.
func (p *incidentProgress) Incident(target string, x record.Incident) {
	line := fmt.Sprintf("%-14s %-14s", target, x.ID)
	if x.Uplink != nil && x.Downlink != nil {
		line += fmt.Sprintf(" uplink lost %d, outage %s ms; downlink lost %d, outage %s ms", x.Uplink.Lost, units.Millis(1e9*x.Uplink.OutageS), x.Downlink.Lost, units.Millis(1e9*x.Downlink.OutageS))
	}
	if x.Problem != "" {
		line += "; " + x.Problem
	}
	p.println(line)
}
