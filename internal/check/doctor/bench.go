package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/scratch"
	"github.com/upflab/upflab/internal/text/units"
)

// What is sent through each target, each way: 1000 frames.
const (
	benchPPS      = 10_000
	benchDuration = 100 * time.Millisecond
)

// bench measures a target as `upflab run` does, shortly.
func bench(t dut.Target) check {
	return func(ctx context.Context, e *exam) Finding {
		name := t.Label()
		if e.uid != 0 {
			return untried(name)
		}
		if live := e.running(); len(live) > 0 {
			return Finding{Name: name, State: Busy,
				Detail: "run " + live[0] + " is under way and would be disturbed",
				Fix:    "upflab doctor, when it has ended"}
		}
		out, why, err := e.measure(ctx, t)
		if err != nil {
			return failed(name, err, "see what is missing above")
		}
		return onBusyMachine(judgeBench(name, out), why, e.busy)
	}
}

// failure is an observer that keeps why a target was given up.
type failure struct {
	watch.Silent
	why error
}

// Failed implements watch.Observer.
func (f *failure) Failed(_ string, err error) { f.why = err }

// measure runs the short latency trials of both directions. why is what kept the target from them; nil: nothing.
func (e *exam) measure(ctx context.Context, t dut.Target) (out record.DUT, why, err error) {
	s, err := scenario.Defaults()
	if err != nil {
		return out, nil, err
	}
	s.Loads = nil
	s.Latency = scenario.Latency{Rate: record.Load{PPS: benchPPS}, Duration: scenario.Duration{Duration: benchDuration}}
	s.Warmup, s.Settle = scenario.Duration{Duration: 20 * time.Millisecond}, scenario.Duration{Duration: 20 * time.Millisecond}
	logs, err := scratch.New("doctor")
	if err != nil {
		return out, nil, err
	}
	defer func() { err = errors.Join(err, logs.Close()) }()
	r := &record.Result{Run: host.NewRunID(), Started: time.Now()}
	f := &failure{}
	err = campaign.Run(ctx, &campaign.Job{Plan: plan.Plan{Scenario: s, Targets: []dut.Target{t}}, Dir: logs.Path}, f, r)
	if err != nil {
		return out, nil, err
	}
	return r.DUTs[0], f.why, nil
}

// didNotRun is the finding of a target that did not come up, or died.
func didNotRun(name string, d record.DUT) Finding {
	f := Finding{Name: name, State: Missing, Detail: strings.TrimPrefix(d.Error, name+": "), Fix: "see what is missing above"}
	if d.LogTail != "" {
		f.Detail += "; its log ended: " + d.LogTail
	}
	return f
}

// onBusyMachine leaves open what was not done in time while others had the CPUs: it may be their work. All
// other failures are the machine's or the target's.
func onBusyMachine(f Finding, why error, busy []string) Finding {
	var late interface{ Timeout() bool }
	if f.State == Missing && len(busy) > 0 && errors.As(why, &late) && late.Timeout() {
		f.State, f.Detail = Busy, f.Detail+"; the machine is busy: "+strings.Join(busy, "; ")
		f.Fix = "call `upflab doctor` again when nothing else runs; if it fails then, too: " + f.Fix
	}
	return f
}

// judgeBench demands that packets come through unchanged. That some are lost shows only
// that the machine is busy.
func judgeBench(name string, d record.DUT) Finding {
	if d.Status != record.StatusOK {
		return didNotRun(name, d)
	}
	if len(d.Trials) == 0 {
		return failed(name, errors.New("nothing was measured"), "see what is missing above")
	}
	f := Finding{Name: name, State: OK}
	var words []string
	var wrong, lost uint64
	for _, t := range d.Trials {
		line := fmt.Sprintf("%s %d of %d", t.Direction, t.RxPackets, t.Intended)
		if t.Latency != nil {
			line += " after " + units.Time(float64(t.Latency.P50))
		}
		words = append(words, line)
		wrong += t.Wrong
		lost += t.Intended - min(t.RxPackets, t.Intended)
	}
	f.Detail = strings.Join(words, ", ") + " (median)"
	switch {
	case wrong > 0:
		f.State = Missing
		f.Detail += fmt.Sprintf("; %d arrived wrong", wrong)
		f.Fix = "report it with the output of `upflab doctor`: something here changes packets"
	case lost > 0:
		f.State = Warn
		f.Fix = "see steal and other load: this machine does not keep up with 10 kpps now"
	}
	return f
}
