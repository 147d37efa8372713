package resilience

import (
	"testing"
	"time"
)

// TestInterruption: two UEs in turn, 1 ms apart; the first loses packets 4 and 6, the
// second gets one twice and one too late.
func TestInterruption(t *testing.T) {
	var sent []int64
	for n := range 12 {
		sent = append(sent, int64(n+1)*int64(time.Millisecond))
	}
	var seen []arrival
	for _, n := range []int64{0, 1, 2, 3, 3, 7, 5, 8, 9, 10, 11} {
		seen = append(seen, arrival{number: n})
	}
	i := interruption(sent, seen, 2, 1000, 0)
	if i.Sent != 12 || i.Lost != 2 || i.Duplicates != 1 || i.Reordered != 1 || i.AffectedUEs != 1 {
		t.Errorf("%+v", i)
	}
	if i.OutageS < 0.0039 || i.OutageS > 0.0041 || i.MeanOutageS > i.OutageS*0.51 || i.SpacingS != 0.002 {
		t.Errorf("outage %v s, mean %v s, spacing %v s; want 4 ms, 2 ms, 2 ms", i.OutageS, i.MeanOutageS, i.SpacingS)
	}
}

func TestWhatWasNotSentIsNotLost(t *testing.T) {
	i := interruption([]int64{1, 0, 0, 4}, []arrival{{number: 0}, {number: 3}}, 1, 1, 0)
	if i.Sent != 2 || i.Lost != 0 || i.OutageS != 0 {
		t.Errorf("%+v", i)
	}
}

func TestAnOutageThatDoesNotEndLastsToTheEnd(t *testing.T) {
	i := interruption([]int64{1e9, 2e9, 3e9, 4e9}, []arrival{{number: 0}}, 1, 1, 0)
	if i.Lost != 3 || i.OutageS != 2 {
		t.Errorf("%+v", i)
	}
}

func TestLossesBeforeTheIncidentAreApart(t *testing.T) {
	i := interruption([]int64{1, 2, 3, 4, 5, 6}, []arrival{{number: 0}, {number: 2}, {number: 3}, {number: 5}}, 1, 1, 4)
	if i.LostBefore != 1 || i.Lost != 1 || i.Sent != 3 {
		t.Errorf("%+v", i)
	}
}
