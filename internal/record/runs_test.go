package record

import "testing"

func TestRuns(t *testing.T) {
	runs := []LossRun{{Length: 1, Count: 6}, {Length: 2, Count: 1}, {Length: 10, Count: 1}}
	if got := LongestRun(runs); got != 10 {
		t.Errorf("the longest is %d, want 10", got)
	}
	if got := MeanRun(runs); got != 18.0/8 {
		t.Errorf("the mean is %g, want %g", got, 18.0/8)
	}
	if LongestRun(nil) != 0 || MeanRun(nil) != 0 {
		t.Error("no runs have a length")
	}
}
