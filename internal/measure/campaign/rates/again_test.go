package rates

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/methods"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// TestAgain: a search with the trials that it made comes to what it found, and with another count in one of them
// to something else, or leaves its track.
func TestAgain(t *testing.T) {
	s := &scenario.Scenario{Search: scenario.Search{Preset: search.Quick}}
	s.Search.Min.PPS, s.Search.Max.PPS = 1000, 1e6
	m, err := methods.MLRsearch(s.Search, search.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	var clock time.Duration
	m.Limits.Now = func() time.Time { return time.Unix(0, 0).Add(clock) }
	var made []MadeTrial
	report, err := m.Run(context.Background(), func(_ context.Context, pps float64, d time.Duration) (search.Outcome, error) {
		clock += d + 300*time.Millisecond
		sent := uint64(pps * d.Seconds())
		x := record.Trial{Load: record.Load{PPS: pps}, DurationS: d.Seconds(), Raw: uint64(len(made) + 1)}
		x.Intended, x.TxPackets, x.RxPackets, x.Valid, x.Reasons = sent, sent, min(sent, uint64(512_345*d.Seconds())), true, []string{}
		made = append(made, MadeTrial{Trial: x})
		return outcomeOf(x, 0), nil
	})
	if err != nil || !report.Valid() {
		t.Fatal(report.Reasons, err)
	}
	found := record.Search{Method: record.MethodMLRsearch, Trials: searchTrials(report.Trials)}
	fillRates(&found, report)
	again, err := Again(s, found, made)
	if err != nil || !reflect.DeepEqual(again, found) {
		t.Errorf("%v\n%+v\n%+v", err, again, found)
	}
	for i := range made {
		if made[i].RxPackets == made[i].TxPackets && found.Trials[i].Used && found.Trials[i].Phase == "search" {
			made[i].RxPackets /= 2
			break
		}
	}
	if again, err := Again(s, found, made); err == nil && reflect.DeepEqual(again, found) {
		t.Error("half of a trial's packets were lost, and nothing changed")
	}
}
