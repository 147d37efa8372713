package trials

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// TestDropsOfTheWholeTrial: places count the whole trial, and so does the loss that they are
// shares of. Of 3750 packets that a ring had no room for in disturbed windows and 100 in the
// others, 100 are lost in the windows that count: that is not 3.85e+03 %.
func TestDropsOfTheWholeTrial(t *testing.T) {
	trial := record.Trial{
		Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: 1e6}, Repeat: 1,
		Traffic:   record.Traffic{TxPackets: 1_000_000, RxPackets: 999_900},
		Losses:    record.Losses{Drops: []record.Count{{Place: record.PlaceUPFRing, Side: record.SideLink, Packets: 3850}}},
		Excluded:  &record.Excluded{Windows: 10, Of: 1000, Seconds: 0.01, TxPackets: 10_000, RxPackets: 6250},
		Judgement: record.Judgement{Valid: true},
	}
	for _, c := range []struct {
		why, lost, where string
		change           func(*record.Trial)
	}{
		{"windows are excluded", "3,850", "receive ring of the UPF: 3,850 (100 %)", func(*record.Trial) {}},
		{"some have no place", "3,850", "receive ring of the UPF: 2,850 (74 %); no counter has them: 1,000 (26 %)",
			func(t *record.Trial) { t.Drops[0].Packets, t.Unattributed = 2850, 1000 }},
		{"a counter holds other packets, too", "100", "receive ring of the UPF: 3,850 (100 %)", func(t *record.Trial) { t.Excluded = nil }},
		{"nothing was lost, and a counter has something", "0", "receive ring of the UPF: 3,850 (100 %)",
			func(t *record.Trial) { t.Excluded, t.RxPackets = nil, t.TxPackets }},
	} {
		one := trial
		one.Drops = append([]record.Count(nil), trial.Drops...)
		c.change(&one)
		v := view.New(&record.Result{DUTs: []record.DUT{{Name: "upf", Trials: []record.Trial{one}}}})
		cells := Drops(v).Blocks[0].(block.Table).Rows[0].Cells
		if cells[2].Text != c.lost || !strings.Contains(cells[3].Text, c.where) {
			t.Errorf("%s: %s lost, %q", c.why, cells[2].Text, cells[3].Text)
		}
	}
}
