package view

import (
	"math"

	"github.com/upflab/upflab/internal/record"
)

// Quantity is a figure of a trial; NaN is not known.
type Quantity func(*record.Trial) float64

// The figures of a trial that reports show. Zero CPU of a UPF means that it could not
// be read.

// Offered is the load, packets/s.
func Offered(t *record.Trial) float64 { return orNaN(t.Load.PPS) }

// TxPPS is the rate sent, packets/s.
func TxPPS(t *record.Trial) float64 { return t.TxPPS }

// RxPPS is the rate received, packets/s.
func RxPPS(t *record.Trial) float64 { return t.RxPPS }

// TxBPS is the rate sent, bits/s at layer 2.
func TxBPS(t *record.Trial) float64 { return t.TxL2bps }

// RxBPS is the rate received, bits/s at layer 2.
func RxBPS(t *record.Trial) float64 { return t.RxL2bps }

// Loss is the frame loss ratio.
func Loss(t *record.Trial) float64 { return t.FrameLossRatio }

// Generator is the share of its core that sending took.
func Generator(t *record.Trial) float64 { return t.CPU.GeneratorCores }

// CoreBusy is the share of time that the UPF's cores were busy, whoever used them.
func CoreBusy(t *record.Trial) float64 { return orNaN(t.CPU.CoreBusy) }

// Cores is the CPU of the UPF.
func Cores(t *record.Trial) float64 { return orNaN(t.CPU.DUTCores) }

// Memory is that of the UPF, bytes.
func Memory(t *record.Trial) float64 { return orNaN(float64(t.MemoryBytes)) }

// ProgramNS is the time of the UPF's BPF program, ns a packet.
func ProgramNS(t *record.Trial) float64 { return orNaN(t.ProgramNS) }

// PacketNS is the UPF's CPU time for a packet that it forwarded, ns.
func PacketNS(t *record.Trial) float64 { return t.CPUNSPerPacket() }

// CPUPart is one named part of the UPF's CPU.
func CPUPart(name string) Quantity {
	return func(t *record.Trial) float64 {
		for _, p := range t.CPU.DUTParts {
			if p.Name == name {
				return p.Cores
			}
		}
		return math.NaN()
	}
}

// QueueRatio is the share of packets that a receive queue of the UPF took.
func QueueRatio(port string, queue int) Quantity {
	return func(t *record.Trial) float64 {
		for _, q := range t.Queues {
			if q.Port == port && q.Queue == queue {
				return q.Ratio
			}
		}
		return math.NaN()
	}
}

// CPUBusy is how busy a CPU was, whoever used it.
func CPUBusy(cpu int) Quantity {
	return func(t *record.Trial) float64 {
		for _, c := range t.CPU.PerCore {
			if c.CPU == cpu {
				return c.Busy
			}
		}
		return math.NaN()
	}
}

// LatencyOf is a figure of the distribution of latency, ns.
func LatencyOf(of func(*record.Latency) float64) Quantity {
	return func(t *record.Trial) float64 { return OfLatency(t.Latency, of) }
}

// OfLatency is a figure of a distribution; NaN where nothing was timed.
func OfLatency(l *record.Latency, of func(*record.Latency) float64) float64 {
	if l == nil || l.Count == 0 {
		return math.NaN()
	}
	return of(l)
}

// The figures of a distribution of latency, ns.

// LatMin is the least.
func LatMin(l *record.Latency) float64 { return float64(l.Min) }

// LatMean is the mean.
func LatMean(l *record.Latency) float64 { return l.Mean }

// LatMax is the greatest.
func LatMax(l *record.Latency) float64 { return float64(l.Max) }

// P50 is the median.
func P50(l *record.Latency) float64 { return float64(l.P50) }

// P99 is the 99th percentile.
func P99(l *record.Latency) float64 { return float64(l.P99) }

// P999 is the 99.9th percentile.
func P999(l *record.Latency) float64 { return float64(l.P999) }

// P9999 is the 99.99th percentile; NaN where too few packets were timed.
func P9999(l *record.Latency) float64 { return orNaN(float64(l.P9999)) }

func orNaN(v float64) float64 {
	if v == 0 {
		return math.NaN()
	}
	return v
}

// P95 is the 95th percentile; of results of before it was kept, from the histogram. NaN
// where there is neither.
func P95(l *record.Latency) float64 {
	if l.P95 > 0 {
		return float64(l.P95)
	}
	rank, seen := 0.95*float64(l.Count), uint64(0)
	for _, b := range l.Buckets {
		if seen += b.Count; float64(seen) >= rank {
			return float64(b.UpTo)
		}
	}
	return math.NaN()
}

// AtDUTOf is a figure of the delay between the UPF's ports, ns.
func AtDUTOf(of func(*record.Latency) float64) Quantity {
	return func(t *record.Trial) float64 { return OfLatency(t.AtDUT, of) }
}
