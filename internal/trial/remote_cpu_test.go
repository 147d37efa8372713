package trial

import (
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
)

func TestCPUElsewhere(t *testing.T) {
	at := func(s, process, busy, total float64) *dut.Meter {
		d := func(x float64) time.Duration { return time.Duration(x * float64(time.Second)) }
		return &dut.Meter{At: time.Unix(100, 0).Add(d(s)), DUT: d(process), Busy: d(busy), Total: d(total), Source: "process 7, over SSH", Memory: 1 << 20}
	}
	m := &measured{readings: readings{remote: remoteCPU{at(0, 10, 100, 1000), at(2, 11, 103, 1008)}}}
	trial := record.Trial{CPU: record.CPU{GeneratorCores: 0.5, DUTCores: 9}}
	m.fillElsewhere(&trial, false)
	c := trial.CPU
	if math.Abs(c.DUTCores-0.5) > 1e-9 || math.Abs(c.CoreBusy-0.375) > 1e-9 || c.GeneratorCores != 0.5 || trial.MemoryBytes != 1<<20 ||
		len(c.DUTParts) != 1 || c.DUTParts[0].Name != "process 7, over SSH" {
		t.Errorf("%+v, memory %d", c, trial.MemoryBytes)
	}
	for _, known := range []bool{false, true} {
		trial := record.Trial{CPU: record.CPU{GeneratorCores: 0.5, DUTCores: 0.25, CoreBusy: 1}}
		(&measured{}).fillElsewhere(&trial, known)
		if c := trial.CPU; c.GeneratorCores != 0.5 || c.CoreBusy != 0 || (c.DUTCores > 0) != known {
			t.Errorf("its process known %v: %+v", known, c)
		}
	}
	for why, pair := range map[string]remoteCPU{
		"not reported before": {nil, at(2, 11, 103, 1008)}, "not reported after": {at(0, 10, 100, 1000), nil},
		"restarted": {at(0, 10, 100, 1000), at(2, 1, 103, 1008)}, "no time": {at(0, 10, 100, 1000), at(0, 10, 100, 1000)},
	} {
		if _, ok := pair.cpu(); ok {
			t.Errorf("%s: it has a figure", why)
		}
	}
}
