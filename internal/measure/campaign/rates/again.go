package rates

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/methods"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// MadeTrial is a trial of a search that is known again, with the part of its time in which nothing was due.
type MadeTrial struct {
	record.Trial
	Silent time.Duration
}

// errLeftTrack ends a search whose trials, as they are now, ask for another next trial than was made.
var errLeftTrack = errors.New("its trials, as the raw data have them, ask for other loads than were tried")

// Again searches a second time with the trials that a search made, and gives what comes of them. Loads that
// it may try, standards and its length are as given. An error says why the trials do not lead to a result.
func Again(s *scenario.Scenario, given record.Search, made []MadeTrial) (record.Search, error) {
	found := given
	found.Goals, found.Curve = nil, nil
	tape := &tape{given: given.Trials, made: made}
	var trials []search.Record
	var err error
	switch given.Method {
	case record.MethodMLRsearch:
		m, bad := methods.MLRsearch(s.Search, search.Conditions{})
		if bad != nil {
			return given, bad
		}
		m.MinPPS, m.MaxPPS, m.Limits.Now = given.MinPPS, given.MaxPPS, tape.now
		var report search.Report
		report, err = m.Run(context.Background(), tape.play)
		fillRates(&found, report)
		trials = report.Trials
	case record.MethodBinary, record.MethodLossVerification:
		t, bad := methods.Throughput(s.Search, methodOf(given), search.Conditions{})
		if bad != nil {
			return given, bad
		}
		if methodOf(given) == methods.Forwarding {
			t.LossRatio = methods.ForwardingLoss
		}
		t = methods.Stepped(t, given.MaxPPS, s.Search.Step)
		t.Limits.Now = tape.now
		var report search.Report
		report, err = t.Run(context.Background(), tape.play)
		fillRates(&found, report)
		trials = report.Trials
	case record.MethodLossCurve:
		c, bad := methods.LossCurve(s.Search, search.Conditions{})
		if bad != nil {
			return given, bad
		}
		c.MaxPPS, c.Limits.Now = given.MaxPPS, tape.now
		var report search.CurveReport
		report, err = c.Run(context.Background(), tape.play)
		fillCurve(&found, report)
		trials = report.Trials
	default:
		return given, fmt.Errorf("a search by %s is not repeated", given.Method)
	}
	if err != nil || len(trials) != len(given.Trials) {
		return given, errors.Join(errLeftTrack, err)
	}
	found.Trials = searchTrials(trials)
	found.Standard, found.Missing = given.Standard, given.Missing
	for i := range found.Goals {
		if methodOf(given) == methods.Forwarding {
			found.Goals[i].Name = record.GoalForwarding
		}
		if i < len(given.Goals) && given.Goals[i].Wire != nil {
			foundRate{&found, &found.Goals[i]}.apply(*given.Goals[i].Wire)
		}
	}
	return found, nil
}

// methodOf is what a scenario calls a search by halving.
func methodOf(s record.Search) scenario.Method {
	switch {
	case len(s.Goals) > 0 && s.Goals[0].Name == record.GoalForwarding:
		return methods.Forwarding
	case s.Method == record.MethodLossVerification:
		return scenario.MethodTST009
	}
	return scenario.MethodRFC2544
}

// tape plays the trials of a search, at the times at which they ended.
type tape struct {
	given []record.SearchTrial
	made  []MadeTrial
	next  int
	clock time.Duration
}

func (t *tape) now() time.Time { return time.Unix(0, 0).Add(t.clock) }

func (t *tape) play(_ context.Context, pps float64, d time.Duration) (search.Outcome, error) {
	if t.next >= len(t.made) || t.given[t.next].PPS != pps || t.given[t.next].DurationS != d.Seconds() {
		return search.Outcome{}, errLeftTrack
	}
	o := outcomeOf(t.made[t.next].Trial, t.made[t.next].Silent)
	t.clock = time.Duration(t.given[t.next].EndedNS)
	t.next++
	return o, nil
}

// WireAgain is what wire did by its last trial, where that is known again.
func WireAgain(w record.WireCarries, lossRatio float64, t record.Trial) record.WireCarries {
	again := wireCarried(t, lossRatio)
	again.Trials = w.Trials
	return again
}
