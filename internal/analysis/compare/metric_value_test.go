package compare

import (
	"math"
	"testing"

	figures "github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
)

// TestMetricsReadTheirFigures: a metric of a trial is the figure of its name, of a trial in which no two figures are alike.
func TestMetricsReadTheirFigures(t *testing.T) {
	one := record.Trial{Kind: record.KindLoad, DurationS: 1}
	one.TxPackets, one.RxPackets, one.RxPPS, one.FrameLossRatio = 1000, 875, 875, 0.125
	one.Latency = &record.Latency{Count: 875, Min: 1, Mean: 31.5, P50: 32, P90: 64, P99: 128, P999: 256, P9999: 512, Max: 1024}
	one.CPU.DUTCores, one.ProgramNS = 0.5, 77
	d := record.DUT{Trials: []record.Trial{one}}
	read := 0
	for _, m := range Metrics() {
		if m.OfSearch() || m.counted() {
			continue
		}
		read++
		f, known := figures.Of(string(m))
		list := f.Samples(&d)
		if !known || len(list) != 1 || math.Abs(m.of(&one)-list[0].Value) > 1e-9 {
			t.Errorf("%s is %v, and the figure of that name %+v", m, m.of(&one), list)
		}
	}
	if read < 6 {
		t.Errorf("%d metrics of trials were read", read)
	}
	if v := Metric("latency.p75").of(&one); !math.IsNaN(v) {
		t.Errorf("a quantile that is no metric is %v", v)
	}
}
