package campaign

import (
	"context"
	"errors"
	"fmt"

	"github.com/upflab/upflab/internal/measure/appflow"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/externalran"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// visitExternalRAN measures the flows by UE interfaces that a RAN gives: nothing is brought
// up, what runs is measured.
func visitExternalRAN(ctx context.Context, of *visit) (err error) {
	s := of.Plan.Scenario
	v := &flowVisit{visit: of, scenario: s, before: of.first}
	ran, err := externalran.Open(externalran.Config{UE: *s.ExternalUE, Server: s.N6.DN, Claim: v.Claim, Tools: v.tools})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ran.Close()) }()
	interfaces, remark := v.interfaces()
	v.out.Remarks = record.AppendNew(v.out.Remarks, remark)
	ends, err := ran.Ends(interfaces...)
	if err != nil {
		return err
	}
	v.noteNAT(ctx, ends)
	for n, f := range s.Flows {
		if f.Sessions() > len(interfaces) {
			continue // a bench has one interface
		}
		v.Observer.Stage(v.target.Label(), fmt.Sprintf("flow %s %s", f.Kind, f.Direction))
		got, err := v.throughRAN(ctx, ends, f)
		if err != nil {
			return err
		}
		if err := v.keep(n, got); err != nil {
			return err
		}
	}
	return nil
}

// interfaces are those that a target is measured by, and what to say of it.
func (v *flowVisit) interfaces() (names []string, remark string) {
	x := v.scenario.ExternalUE
	switch v.out.Name {
	case plan.PlainBench:
		return []string{x.DirectInterface}, "By " + x.DirectInterface + ", without the RAN and without a UPF."
	case plan.GatewayBench:
		return []string{x.BenchInterface},
			"By " + x.BenchInterface +
				": the RAN with another UPF, as its user says one that is not the limit. It is what the RAN carries."
	}
	return x.Interfaces, "Through a RAN that is not upflab's, with the core's own sessions."
}

// throughRAN measures and judges a flow, once more where the host disturbed it.
func (v *flowVisit) throughRAN(ctx context.Context, e *appflow.Ends, f scenario.Flow) (best record.AppFlow, err error) {
	for n := range v.scenario.Attempts {
		got, err := e.Measure(ctx, f, v.repeat)
		if err != nil {
			return got, err
		}
		b := ceilings(v.Book, &got)
		b.RAN, b.Direct = v.out.Name != plan.PlainBench, v.out.Name == plan.PlainBench
		appflow.Judge(&got, b, v.out.Reference)
		if n == 0 || calmer(&got, &best) {
			best = got
		}
		if got.LimitedBy != record.LimitHost {
			break
		}
	}
	return best, nil
}
