package trials

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestJoin(t *testing.T) {
	var series []record.Point
	for i := range 600 {
		series = append(series, record.Point{T: float64(i+1) / 10, TxPPS: 1000, RxPPS: float64(i % 2 * 1000),
			P50: uint64(i%2) * 500, P99: uint64(i), DUTCores: 0.5})
	}
	got := join(series, 100)
	want := record.Point{T: 60, TxPPS: 1000, RxPPS: 500, P50: 500, P99: 599, DUTCores: 0.5}
	if len(got) != 100 || got[99].T != want.T || round(got[99].RxPPS, 3) != want.RxPPS || got[99].P50 != want.P50 || got[99].P99 != want.P99 {
		t.Errorf("%d points, the last %+v, want %+v", len(got), got[len(got)-1], want)
	}
	if one := join(series[:3], 100); len(one) != 3 || one[0].P50 != 0 {
		t.Errorf("a short series is changed: %v", one)
	}
}
