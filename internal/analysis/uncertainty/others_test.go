package uncertainty

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestSafeLoad: an interval of 900 to 1100 is a standard uncertainty of 200/3.92 = 51.02; bounds of measured loads are
// no interval.
func TestSafeLoad(t *testing.T) {
	d := record.DUT{Name: "upf", SafeLoads: []record.SafeLoad{
		{Direction: record.Uplink, PPS: 900, EstimatePPS: 1000, LowPPS: 900, HighPPS: 1100},
		{Direction: record.Downlink, PPS: 900, EstimatePPS: 900, LowPPS: 900, HighPPS: 1100, Measured: true}}}
	list := Budgets(&record.Result{DUTs: []record.DUT{d}})
	if len(list) != 1 || list[0].Combined == nil || math.Abs(*list[0].Combined-51.02) > 0.01 || math.Abs(*list[0].Expanded-100) > 0.01 ||
		list[0].AcrossRuns || list[0].Figure != "safe_load_pps" {
		t.Errorf("%+v", list)
	}
	r := &record.Result{DUTs: []record.DUT{d}, Calibration: &record.Calibration{Runs: 8, Days: 1, Scatter: []record.Scatter{{Figure: "rx_pps", SD: 0.05, DF: 7}}}}
	if list = Budgets(r); !list[0].AcrossRuns || math.Abs(*list[0].Combined-math.Hypot(51.02, 50)) > 0.01 {
		t.Errorf("calibrated: %+v", list)
	}
}

// TestGoodput: repeats of 10, 12 and 11 have 1/sqrt(3) = 0.577 of their mean; one alone says nothing.
func TestGoodput(t *testing.T) {
	flow := func(repeat int, bps float64, valid bool) record.AppFlow {
		return record.AppFlow{Kind: "tcp", Direction: record.Uplink, UEs: 1, Repeat: repeat, GoodputBPS: bps, Valid: valid}
	}
	d := record.DUT{Name: "upf", Flows: []record.AppFlow{flow(1, 10, true), flow(2, 12, true), flow(3, 11, true), flow(4, 90, false)}}
	list := Budgets(&record.Result{DUTs: []record.DUT{d}})
	if len(list) != 1 || list[0].Value != 11 || list[0].Trials != 3 || list[0].Combined == nil || math.Abs(*list[0].Combined-0.57735) > 1e-4 {
		t.Errorf("%+v", list)
	}
	d.Flows = d.Flows[:1]
	if list = Budgets(&record.Result{DUTs: []record.DUT{d}}); len(list) != 1 || list[0].Combined != nil || list[0].NotKnown == "" {
		t.Errorf("one: %+v", list)
	}
}
