package campaign

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// TestSoakSpec: a search's rate goes before that at max, and a load that was given
// before both.
func TestSoakSpec(t *testing.T) {
	s := &scenario.Scenario{Timing: scenario.Timing{Duration: scenario.Duration{Duration: time.Hour}},
		Soak: scenario.Soak{Share: 0.5, LossBudget: 1e-6}}
	size := s.PacketSizes()[0]
	atMax := record.Trial{Direction: "uplink", PacketSize: record.PacketSize{Size: size.Name}, Repeat: 1, Traffic: record.Traffic{RxPPS: 2e6}}
	other := record.Trial{Direction: "uplink", PacketSize: record.PacketSize{Size: "imix"}, Repeat: 1, Traffic: record.Traffic{RxPPS: 3e6}}
	ndr := record.Search{Direction: "uplink", PacketSize: record.PacketSize{Size: size.Name}, Repeat: 1, NDRPPS: 1.2e6}
	for _, c := range []struct {
		why   string
		out   record.DUT
		load  float64
		pps   float64
		of    string
		label string
	}{
		{"at max", record.DUT{Trials: []record.Trial{atMax, other}}, 0, 1e6, "what arrived unpaced", "50 % soak"},
		{"searched", record.DUT{Trials: []record.Trial{atMax}, Searches: []record.Search{ndr}}, 0, 0.6e6, "the non-drop rate", "50 % soak"},
		{"given", record.DUT{Trials: []record.Trial{atMax}, Searches: []record.Search{ndr}}, 4e5, 2e5, "the load given", "200k soak"},
	} {
		spec, err := soakSpec(s, &c.out, trial.Spec{Direction: record.Uplink, Size: size, Load: record.Load{PPS: c.load}, Repeat: 1})
		if err != nil || spec.Load.PPS != c.pps || spec.Soak.Of != c.of || spec.Load.String() != c.label || spec.Duration != time.Hour {
			t.Errorf("%s: %+v %+v, %v", c.why, spec, spec.Soak, err)
		}
	}
	for _, d := range []record.Direction{record.Downlink, record.Uplink} {
		if _, err := soakSpec(s,
			&record.DUT{Trials: []record.Trial{{Direction: "uplink", PacketSize: record.PacketSize{Size: size.Name}, Repeat: 1}}},
			trial.Spec{Direction: d, Size: size, Repeat: 1}); err == nil {
			t.Errorf("%s: half of nothing is a load", d)
		}
	}
}
