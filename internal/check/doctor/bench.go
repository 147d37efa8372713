package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
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
		out, err := e.measure(ctx, t)
		if err != nil {
			return failed(name, err, "see what is missing above")
		}
		return onBusyMachine(judgeBench(name, out), e.busy)
	}
}

// measure runs the short latency trials of both directions.
func (e *exam) measure(ctx context.Context, t dut.Target) (out record.DUT, err error) {
	s, err := scenario.Defaults()
	if err != nil {
		return out, err
	}
	s.Loads = nil
	s.Latency = scenario.Latency{Rate: record.Load{PPS: benchPPS}, Duration: scenario.Duration{Duration: benchDuration}}
	s.Warmup, s.Settle = scenario.Duration{Duration: 20 * time.Millisecond}, scenario.Duration{Duration: 20 * time.Millisecond}
	dir, err := os.MkdirTemp("", "upflab-doctor-")
	if err != nil {
		return out, fmt.Errorf("make a folder for logs: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := &record.Result{Run: host.NewRunID(), Started: time.Now()}
	err = campaign.Run(ctx, &campaign.Plan{Scenario: s, Targets: []dut.Target{t}, Dir: dir}, campaign.Silent{}, r)
	if err != nil {
		return out, err
	}
	return r.DUTs[0], nil
}

// didNotRun is the finding of a target that did not come up, or died.
func didNotRun(name string, d record.DUT) Finding {
	f := Finding{Name: name, State: Missing, Detail: strings.TrimPrefix(d.Error, name+": "), Fix: "see what is missing above"}
	if d.LogTail != "" {
		f.Detail += "; its log ended: " + d.LogTail
	}
	return f
}

// onBusyMachine leaves open what failed while others had the CPUs: it may be their work.
func onBusyMachine(f Finding, busy string) Finding {
	if f.State == Missing && busy != "" {
		f.State, f.Detail = Busy, f.Detail+"; the machine is busy: "+busy
		f.Fix = "call `upflab doctor` again when nothing else runs"
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
