package figure

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// control is a DUT with a control-plane study.
func control() *record.DUT {
	procedures := func(p99 uint64) *record.ProcedureLoad {
		return &record.ProcedureLoad{Sent: 1000, Done: 990, Refused: 4, Unanswered: 6, Latency: &record.Latency{Count: 990, P99: p99}}
	}
	return &record.DUT{ControlPlane: &record.ControlPlane{
		Rates: []record.ProcedureRate{{Procedure: "establish", Goal: record.RateMax, PerS: 9000, Valid: true},
			{Procedure: "mix", Goal: record.RateP99, PerS: 4000, AtLeast: true, Valid: true},
			{Procedure: "qos", Goal: record.RateMax, Reasons: []string{"refused"}}},
		Capacity: &record.SessionCapacity{Sessions: 412, TearDownPerS: 8000},
		Beside: []record.BesideTraffic{
			{Direction: record.Uplink, Share: 0.5, With: record.BesideNobody, FrameLossRatio: 0.5, Valid: true},
			{Direction: record.Uplink, Share: 0.5, With: record.BesideBench, PerS: 1000, FrameLossRatio: 0.01, Valid: true},
			{Direction: record.Uplink, Share: 0.5, With: record.BesideUPF, PerS: 1000, FrameLossRatio: 0.03,
				P99NS: 5000, Valid: true, Procedures: procedures(7e6)},
		},
	}}
}

func TestControlPlane(t *testing.T) {
	d := control()
	for name, want := range map[string]struct {
		value float64
		at    string
	}{
		"n4.rate_p99":            {4000, "mix"},
		"n4.sessions":            {412, "sessions"},
		"n4.tear_down_rate":      {8000, "sessions"},
		"beside.loss_ratio":      {0.02, "uplink at 50 %, beside 1000 procedures/s"},
		"beside.p99":             {5000, "uplink at 50 %, beside 1000 procedures/s"},
		"beside.n4_p99":          {7e6, "uplink at 50 %, beside 1000 procedures/s"},
		"beside.n4_failed_ratio": {0.01, "uplink at 50 %, beside 1000 procedures/s"},
	} {
		f, found := Of(name)
		all := f.Samples(d)
		if !found || len(all) != 1 || all[0].Value < want.value-1e-9 || all[0].Value > want.value+1e-9 ||
			all[0].Words(false) != want.at || !all[0].Valid {
			t.Errorf("%s: found %v, %+v", name, found, all)
		}
	}
	f, _ := Of("n4.rate")
	all := f.Samples(d)
	if len(all) != 2 || all[0].Value != 9000 || !all[0].Own() || all[1].Procedure != "qos" || all[1].Valid || all[1].Why != "refused" {
		t.Errorf("%+v", all)
	}
	if f, _ = Of("n4.session_bytes"); len(f.Samples(d)) != 0 || len(f.Samples(&record.DUT{})) != 0 {
		t.Errorf("memory that was not measured: %+v", f.Samples(d))
	}
}
