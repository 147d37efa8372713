package record

import (
	"math"
	"testing"
)

// TestCPUOfTheSameTime: a UPF takes 500 ns a packet, and a tenth of the trial does not count,
// in which a program of others kept it from its CPU and half as much arrived. CPU time for a
// packet is 500 ns all the same, as CPU time and packets are of the same time.
func TestCPUOfTheSameTime(t *testing.T) {
	const cost, rate, seconds, out = 500e-9, 1e6, 2.0, 0.2
	kept, rest := uint64(rate*(seconds-out)), uint64(rate*out/2)
	one := Trial{
		Traffic: Traffic{RxPPS: rate, RxPackets: kept}, DurationS: seconds - out,
		Cost:     Cost{CPU: CPU{DUTCores: cost * float64(kept+rest) / seconds}},
		Excluded: &Excluded{Windows: 190, Of: 1900, Seconds: out, RxPackets: rest},
	}
	if got := one.CPUNSPerPacket(); math.Abs(got-500) > 0.01 {
		t.Errorf("%.1f ns a packet, want 500", got)
	}
	if got := one.KeptCores(); math.Abs(got-0.5) > 1e-6 {
		t.Errorf("%.3f cores at 1 Mpps, want 0.5", got)
	}
	if old := one.CPU.DUTCores / one.RxPPS * 1e9; math.Abs(old-475) > 0.01 {
		t.Errorf("the rate of the kept windows alone gives %.1f ns, want 475: the test shows nothing", old)
	}
	one.Excluded.Void, one.Excluded.RxPackets, one.RxPackets = true, 0, kept+rest
	one.DurationS, one.RxPPS = seconds, float64(kept+rest)/seconds
	if got := one.CPUNSPerPacket(); math.Abs(got-500) > 0.01 {
		t.Errorf("where everything counts: %.1f ns a packet, want 500", got)
	}
	if got := (&Trial{Traffic: Traffic{RxPPS: 5}}).CPUNSPerPacket(); !math.IsNaN(got) {
		t.Errorf("no CPU time is known, and a packet takes %v", got)
	}
}
