package behaviour

import (
	"fmt"

	"github.com/upflab/upflab/internal/block"
	"github.com/upflab/upflab/internal/sections/view"
	"github.com/upflab/upflab/internal/units"
)

// Rates is how exactly maximum bit rates were enforced.
func Rates(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("Case"), block.Words("UPF"), block.Number("Offered", "Mbit/s"), block.Number("Passed", "Mbit/s"), block.Number("Error", "%"),
		block.Number("Burst", "octets"), block.Number("First loss", "ms"), block.Number("Loss", "%"), block.Number("Lost in a row", "mean"), block.Number("", "max"),
		block.Number("p50 below", "µs"), block.Number("p50 above", "µs"), block.Number("p99 above", "µs")}}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			if r := d.Cases[i].Rate; r != nil {
				t.Rows = append(t.Rows, block.Row{Cells: block.Cells(d.Cases[i].ID, d.Label, fmt.Sprintf("%.3f", r.OfferedBPS/1e6), fmt.Sprintf("%.4f", r.MeasuredBPS/1e6), fmt.Sprintf("%+.2f", r.Error*100),
					fmt.Sprintf("%.0f", r.BurstOctets), fmt.Sprintf("%.1f", r.FirstLossS*1e3), units.Percent(r.LossRatio), fmt.Sprintf("%.2f", r.LossRun), fmt.Sprint(r.LossRunMax),
					units.Micros(r.BelowP50NS), units.Micros(r.AboveP50NS), units.Micros(r.AboveP99NS))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Maximum bit rates", Hint: "Of T-PDUs. Passed: between dropped packets, without pauses of the sender. Burst: what passed at once, over the rate, after a second of silence. " +
		"Latency in user space at both ends: at half of the rate, and above it.", Blocks: []block.Block{t}}
}

// Usages is what was counted under load, and when it was reported.
func Usages(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("Case"), block.Words("UPF"), block.Number("Sent", "octets"), block.Number("Arrived", "octets"), block.Number("Counted", "octets"),
		block.Number("Reports", ""), block.Number("Beyond the quota", "octets"), block.Number("Threshold to report", "ms")}}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			if u := d.Cases[i].Usage; u != nil {
				t.Rows = append(t.Rows, block.Row{Cells: block.Cells(d.Cases[i].ID, d.Label, units.Count(u.SentOctets), units.Count(u.ArrivedOctets), units.Count(u.CountedOctets),
					fmt.Sprint(u.Reports), fmt.Sprint(u.OverOctets), fmt.Sprintf("%.1f", u.DelaySeconds*1e3))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Usage", Blocks: []block.Block{t}}
}
