package report

import (
	"math"

	"github.com/upflab/upflab/internal/record"
)

// The figures of a trial that reports show. Zero CPU of a DUT means that it
// could not be read.

func txPPS(t *record.Trial) float64     { return t.TxPPS }
func rxPPS(t *record.Trial) float64     { return t.RxPPS }
func txBPS(t *record.Trial) float64     { return t.TxL2bps }
func rxBPS(t *record.Trial) float64     { return t.RxL2bps }
func loss(t *record.Trial) float64      { return t.FrameLossRatio }
func generator(t *record.Trial) float64 { return t.CPU.GeneratorCores }
func coreBusy(t *record.Trial) float64  { return orNaN(t.CPU.CoreBusy) }
func dutCores(t *record.Trial) float64  { return orNaN(t.CPU.DUTCores) }
func programNS(t *record.Trial) float64 { return orNaN(t.ProgramNS) }

// cpuNS is the DUT's CPU time per packet that it forwarded, ns.
func cpuNS(t *record.Trial) float64 {
	return orNaN(t.CPU.DUTCores) / orNaN(t.RxPPS) * 1e9
}

func latMin(l *record.Latency) float64  { return float64(l.Min) }
func latMean(l *record.Latency) float64 { return l.Mean }
func latMax(l *record.Latency) float64  { return float64(l.Max) }
func latP50(l *record.Latency) float64  { return float64(l.P50) }
func latP99(l *record.Latency) float64  { return float64(l.P99) }
func latP999(l *record.Latency) float64 { return float64(l.P999) }

// latP9999 is unknown where too few packets were timed to tell.
func latP9999(l *record.Latency) float64 { return orNaN(float64(l.P9999)) }

func orNaN(v float64) float64 {
	if v == 0 {
		return math.NaN()
	}
	return v
}
