package trial

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
)

func TestCPUElsewhere(t *testing.T) {
	at := func(s, process, busy, total float64) *dut.Meter {
		d := func(x float64) time.Duration { return time.Duration(x * float64(time.Second)) }
		return &dut.Meter{At: time.Unix(100, 0).Add(d(s)), DUT: d(process), Busy: d(busy), Total: d(total),
			Source: "process 7, over SSH", Memory: 1 << 20}
	}
	m := &measured{Readings: meters.Readings{Remote: meters.Remote{Before: at(0, 10, 100, 1000), After: at(2, 11, 103, 1008)}}}
	trial := record.Trial{Cost: record.Cost{CPU: record.CPU{GeneratorCores: 0.5, DUTCores: 9}}}
	m.fillElsewhere(&trial, false)
	c := trial.CPU
	if math.Abs(c.DUTCores-0.5) > 1e-9 || math.Abs(c.CoreBusy-0.375) > 1e-9 || c.GeneratorCores != 0.5 || trial.MemoryBytes != 1<<20 ||
		len(c.DUTParts) != 1 || c.DUTParts[0].Name != "process 7, over SSH" {
		t.Errorf("%+v, memory %d", c, trial.MemoryBytes)
	}
	for _, known := range []bool{false, true} {
		parts := []record.Share{{Name: telemetry.OwnThreads, Cores: 0.25}, {Name: "NAPI threads"}, {Name: "softirq", Cores: 0.5}}
		trial := record.Trial{Cost: record.Cost{CPU: record.CPU{GeneratorCores: 0.5, DUTCores: 0.75, DUTParts: parts, CoreBusy: 1}}}
		(&measured{}).fillElsewhere(&trial, known)
		// the softirqs of a CPU that a UPF of upflab's would have are not its
		if c := trial.CPU; c.GeneratorCores != 0.5 || c.CoreBusy != 0 || (c.DUTCores == 0.25) != known || c.AtLeast != known {
			t.Errorf("its process known %v: %+v", known, c)
		}
	}
	for why, pair := range map[string]meters.Remote{
		"not reported before": {Before: nil, After: at(2, 11, 103, 1008)}, "not reported after": {Before: at(0, 10, 100, 1000), After: nil},
		"restarted": {Before: at(0, 10, 100, 1000), After: at(2, 1, 103, 1008)}, "no time": {Before: at(0, 10, 100, 1000), After: at(0, 10, 100, 1000)},
	} {
		if _, ok := pair.CPU(); ok {
			t.Errorf("%s: it has a figure", why)
		}
	}
}

func TestParts(t *testing.T) {
	list := []record.Share{{Name: telemetry.OwnThreads, Cores: 1}, {Name: "softirq", Cores: 0.25}}
	useful := 0.75
	want := []record.Share{{Name: "threads, at work", Cores: 0.75}, {Name: "threads, idle polling", Cores: 0.25},
		{Name: "softirq", Cores: 0.25}}
	if got := parts(list, &useful); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := parts(list, nil); !slices.Equal(got, list) {
		t.Errorf("unknown: %v", got)
	}
}
