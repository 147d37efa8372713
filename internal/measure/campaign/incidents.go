package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/measure/behaviour/lab"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/measure/resilience"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// incidentRoom is how many sessions UPFs are configured for, where they take that many.
const incidentRoom = 2048

// incidentVisit is a DUT to which incidents happen.
type incidentVisit struct {
	*visit
	config  lab.Config
	lab     *lab.Lab // nil: the DUT is not up
	bench   *resilience.Bench
	written func() error // of the capture
}

// visitIncidents lets all incidents happen. Each finds the UPF up; one that was rough, or that
// ended it, is followed by a new start of everything.
func visitIncidents(ctx context.Context, of *visit) (err error) {
	v := &incidentVisit{visit: of, config: of.labConfig()}
	s := *of.Plan.Scenario
	s.Sessions = incidentRoom
	if most := v.target.Info().MaxSessions; most > 0 {
		s.Sessions = min(s.Sessions, most)
	}
	v.config.Scenario = &s
	defer func() { err = errors.Join(err, v.down()) }()
	kinds, err := v.Plan.Incidents()
	if err != nil {
		return err
	}
	for n, k := range kinds {
		if err := v.up(ctx); err != nil {
			return fmt.Errorf("%s: %w", v.target.Label(), err)
		}
		k.UEs = min(k.UEs, s.Sessions/2)
		if err := v.incident(ctx, n, k); err != nil {
			return err
		}
	}
	return nil
}

// incident lets one happen, the n-th from 0, and writes down what came of it.
func (v *incidentVisit) incident(ctx context.Context, n int, k resilience.Kind) error {
	v.Observer.Stage(v.target.Label(), k.ID)
	x, err := v.bench.Do(ctx, k)
	if err != nil {
		return err
	}
	v.out.Incidents = append(v.out.Incidents, x)
	v.Observer.Tried(v.first+n+1, v.target.Label(), watch.Step{Name: x.ID, Outcome: lost(&x), Good: x.Problem == ""})
	if err := v.Save(); err != nil {
		return err
	}
	if k.Rough || x.Problem != "" {
		return v.down()
	}
	return nil
}

// lost is what users lost in an incident, in a line.
func lost(x *record.Incident) string {
	var parts []string
	if x.Uplink != nil && x.Downlink != nil {
		parts = append(parts, fmt.Sprintf("uplink lost %d, outage %s; downlink lost %d, outage %s",
			x.Uplink.Lost, outage(x.Uplink), x.Downlink.Lost, outage(x.Downlink)))
	}
	switch {
	case x.Problem != "":
		parts = append(parts, x.Problem)
	case x.NotApplicable != "":
		parts = append(parts, "not applicable: "+x.NotApplicable)
	}
	return strings.Join(parts, "; ")
}

func outage(i *record.Interruption) string {
	if i.OutageS == 0 {
		return "0 ms"
	}
	return units.Time(1e9 * i.OutageS)
}

func (v *incidentVisit) up(ctx context.Context) (err error) {
	if v.lab != nil {
		return nil
	}
	v.Observer.Stage(v.target.Label(), "starting")
	if v.lab, err = lab.Open(ctx, v.config); err != nil {
		v.lab = nil
		return err
	}
	if v.written, err = v.capture(v.lab); err != nil {
		return err
	}
	if v.bench, err = resilience.Open(ctx, v.lab); err != nil {
		v.out.LogTail = v.lab.LogTail()
	}
	return err
}

func (v *incidentVisit) down() error {
	var errs []error
	if v.bench != nil {
		errs = append(errs, v.bench.Close())
	}
	if v.written != nil {
		errs = append(errs, v.written())
	}
	if v.lab != nil {
		errs = append(errs, v.lab.Close())
	}
	v.bench, v.written, v.lab = nil, nil, nil
	return errors.Join(errs...)
}
