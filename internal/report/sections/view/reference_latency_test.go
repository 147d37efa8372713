package view

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

func TestReferenceLatency(t *testing.T) {
	trial := func(kind record.Kind, load string, pps float64, p50 uint64) record.Trial {
		return record.Trial{
			Kind: kind, Direction: "uplink", Load: loadAt(load, pps), Judgement: record.Judgement{Valid: true},
			Traffic: record.Traffic{Latency: &record.Latency{P50: p50, Count: 1}},
		}
	}
	r := &record.Result{DUTs: []record.DUT{
		{Name: "upf", Trials: []record.Trial{
			trial(record.KindLatency, "1k", 1e3, 9000), trial(record.KindLoad, "max", 0, 9000), trial(record.KindLatency, "50 % of NDR", 3e5, 9000),
		}},
		{Name: "wire", Reference: true, Trials: []record.Trial{
			trial(record.KindLoad, "1k", 1e3, 1000), trial(record.KindLatency, "1k", 1e3, 2000), trial(record.KindLoad, "max", 0, 3000),
			trial(record.KindLatency, "50 % of NDR", 1e6, 4000), trial(record.KindLoad, "150k", 1.5e5, 5000),
		}},
	}}
	v := New(r)
	for i, want := range []block.Cell{{Text: "2.00"}, {Text: "3.00"}, {Text: "5.00", Note: "at 150.0 kpps", Short: "~5.00"}} {
		if got := v.UPFs[0].Rows[i].Reference; got != want {
			t.Errorf("at %s: %+v, want %+v", v.UPFs[0].Rows[i].Load, got, want)
		}
	}
	r.DUTs = r.DUTs[:1]
	if v := New(r); v.HasReference || v.UPFs[0].Rows[0].Reference.Text != units.None {
		t.Errorf("without a reference: %+v", v.UPFs[0].Rows[0].Reference)
	}
}

// loadAt is the load of that text with the rate that it came to.
func loadAt(text string, pps float64) (l record.Load) {
	if err := l.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	l.PPS = pps
	return l
}
