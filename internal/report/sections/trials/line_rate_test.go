package trials

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// TestLines: each link and way has one row, and serialisation is subtracted in a column alone.
func TestLines(t *testing.T) {
	lines := []record.Line{record.NewLine("n3", record.Uplink, 10e9, 1514, 1), record.NewLine("n6", record.Uplink, 10e9, 1514, 1)}
	trial := record.Trial{
		Kind: record.KindLatency, Direction: record.Uplink, Load: record.Load{PPS: 1000}, Repeat: 1,
		Judgement: record.Judgement{Valid: true},
		Traffic:   record.Traffic{TxPackets: 1000, RxPackets: 1000, Latency: &record.Latency{Count: 1000, P50: 10_000}},
		Lines:     lines,
	}
	again := trial
	again.Repeat = 2
	s := Lines(view.New(&record.Result{DUTs: []record.DUT{{Name: "upf", Status: record.StatusOK, Trials: []record.Trial{trial, again}}}}))
	if len(s.Blocks) != 2 {
		t.Fatalf("%d blocks", len(s.Blocks))
	}
	text := func(n, row int) (words []string) {
		for _, c := range s.Blocks[n].(block.Table).Rows[row].Cells {
			words = append(words, c.Text)
		}
		return words
	}
	if n := len(s.Blocks[0].(block.Table).Rows); n != 2 {
		t.Errorf("%d lines", n)
	}
	if got := text(0, 0); got[0] != "N3" || got[2] != "10.00" || got[3] != "1514" || got[4] != "0.813" || got[5] != "1.22" {
		t.Errorf("%q", got)
	}
	if got := text(1, 0); got[2] != "10.0" || got[3] != "2.44" || got[4] != "7.56" { // 10 µs less 2 x 1.2208
		t.Errorf("%q", got)
	}
	if s := Lines(view.New(&record.Result{})); len(s.Blocks) > 0 {
		t.Error("a run without physical links has line rates")
	}
}
