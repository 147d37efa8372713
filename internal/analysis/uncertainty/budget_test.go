package uncertainty

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func repeated(rates ...float64) *record.Result {
	r := &record.Result{DUTs: []record.DUT{{Name: "upf"}}}
	for i, pps := range rates {
		t := record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Repeat: i + 1, DurationS: 1}
		t.RxPPS, t.Valid = pps, true
		r.DUTs[0].Trials = append(r.DUTs[0].Trials, t)
	}
	return r
}

func rate(t *testing.T, r *record.Result) record.Uncertainty {
	t.Helper()
	for _, b := range Budgets(r) {
		if b.Figure == "rx_pps" {
			return b
		}
	}
	t.Fatal("there is no budget of the rate")
	return record.Uncertainty{}
}

// TestRepeats: 1000, 1010, 990, 1005 and 995 have a standard deviation of 7.9057, 3.5355 of the mean; with a packet
// more or less in a second (1/sqrt 12 = 0.2887) that is 3.5473, and Student's t with 4 degrees of freedom 2.776 (4.05
// effective: 2.766).
func TestRepeats(t *testing.T) {
	b := rate(t, repeated(1000, 1010, 990, 1005, 995))
	if b.Combined == nil || math.Abs(*b.Combined-3.5473) > 1e-3 || math.Abs(b.DF-4.0537) > 1e-3 || math.Abs(b.Coverage-2.765) > 5e-3 ||
		math.Abs(*b.Expanded-b.Coverage**b.Combined) > 1e-9 || b.AcrossRuns {
		t.Errorf("%+v", b)
	}
}

// TestBetweenRuns: a calibration of 2 % with 7 degrees of freedom adds 20 to a rate of 1000.
func TestBetweenRuns(t *testing.T) {
	r := repeated(1000)
	r.Calibration = &record.Calibration{Runs: 8, Days: 2, Scatter: []record.Scatter{{Figure: "rx_pps", SD: 0.02, DF: 7}}}
	b := rate(t, r)
	if b.Combined == nil || math.Abs(*b.Combined-20.002) > 1e-2 || !b.AcrossRuns || math.Abs(b.Coverage-2.364) > 5e-3 {
		t.Errorf("%+v", b)
	}
}

// TestNothingIsInvented: one trial on an uncalibrated machine has sources that are not known, and no sum.
func TestNothingIsInvented(t *testing.T) {
	b := rate(t, repeated(1000))
	if b.Combined != nil || b.Expanded != nil || b.NotKnown == "" {
		t.Errorf("%+v", b)
	}
	for _, s := range b.Sources {
		if s.Value == nil && s.Why == "" {
			t.Errorf("%s: not known, and not why", s.Source)
		}
	}
}

// TestSearch: bounds of 990 and 1000 are 10/sqrt 12 = 2.887. They are no interval: how far the next search ends is not known.
func TestSearch(t *testing.T) {
	r := repeated(1000)
	g := record.SearchGoal{Name: record.GoalNDR, LowerPPS: 990, UpperPPS: 1000}
	g.Valid = true
	r.DUTs[0].Searches = []record.Search{{Direction: record.Uplink, Goals: []record.SearchGoal{g}}}
	list := Budgets(r)
	b := list[len(list)-1]
	resolution := math.NaN()
	for _, s := range b.Sources {
		if s.Source == Search && s.Value != nil {
			resolution = *s.Value
		}
	}
	if b.Figure != "ndr_pps" || b.Value != 990 || !(math.Abs(resolution-2.8868) <= 1e-3) || b.Combined != nil || b.NotKnown == "" {
		t.Errorf("%+v", b)
	}
}

// TestNoLossIsNotCertain: a loss of 0 in all repeats has no interval, and says where one is.
func TestNoLossIsNotCertain(t *testing.T) {
	for _, b := range Budgets(repeated(1000, 1010, 990)) {
		if b.Figure == "frame_loss_ratio" && (b.Combined != nil || b.Expanded != nil || b.NotKnown == "") {
			t.Errorf("%+v", b)
		}
	}
}

// TestBounds: a rate that the machine limited is at least that of the UPF, and a loss at most.
func TestBounds(t *testing.T) {
	r := repeated(1000, 1010, 990)
	for i := range r.DUTs[0].Trials {
		r.DUTs[0].Trials[i].FrameLossRatio = 0.01 * float64(1+i)
	}
	r.DUTs[0].Trials[0].LimitedBy, r.DUTs[0].Trials[1].LimitedBy = record.LimitHost, record.LimitHost
	r.DUTs[0].Trials[2].LimitedBy = record.LimitDUT
	want := map[string]record.Bound{"rx_pps": record.AtLeast, "frame_loss_ratio": record.AtMost}
	for _, b := range Budgets(r) {
		if b.Bound != want[b.Figure] {
			t.Errorf("%s is %q", b.Figure, b.Bound)
		}
	}
}
