package behaviour

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Rates is how exactly maximum bit rates were enforced.
func Rates(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("Case"), block.Words("UPF"), block.Number("Packets", "octets"),
		block.Number("Offered", "Mbit/s"), block.Number("Passed", "Mbit/s"), block.Number("Error", "%"),
		block.Number("Burst", "octets"), block.Number("First loss", "ms"), block.Number("Converged", "ms"),
		block.Number("Loss", "%"), block.Number("Lost in a row", "mean"), block.Number("", "max"),
		block.Number("p50 below", "µs"), block.Number("p50 above", "µs"), block.Number("p99 above", "µs"),
		block.Number("Disturbed", "s"), block.Words("")}}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			if r := d.Cases[i].Rate; r != nil {
				t.Rows = append(t.Rows,
					block.Row{Cells: block.Cells(d.Cases[i].ID, d.Label, fmt.Sprint(r.Octets),
						fmt.Sprintf("%.3f", r.OfferedBPS/1e6), fmt.Sprintf("%.4f", r.MeasuredBPS/1e6),
						fmt.Sprintf("%+.2f", r.Error*100),
						burst(r), fmt.Sprintf("%.1f", r.FirstLossS*1e3), converged(r), units.Percent(r.LossRatio),
						fmt.Sprintf("%.2f", r.LossRun), fmt.Sprint(r.LossRunMax),
						units.Micros(r.BelowP50NS), units.Micros(r.AboveP50NS), units.Micros(r.AboveP99NS),
						fmt.Sprintf("%.2f", r.DisturbedS), untold(&d.Cases[i]))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Maximum bit rates",
		Hint: "Of T-PDUs. Passed: between dropped packets, without pauses of the sender and without the time in " +
			"which the machine was disturbed. " +
			"Burst: what passed at once, over the rate, after a second of silence. Converged: from the first packet " +
			"until the rate passes within 0.5 %. Latency: at half of the rate, and above it.", Blocks: []block.Block{t}}
}

func burst(r *record.RateLimit) string {
	if r.BurstOctets < 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", r.BurstOctets)
}

func converged(r *record.RateLimit) string {
	if r.ConvergeS < 0 {
		return "never"
	}
	return fmt.Sprintf("%.1f", r.ConvergeS*1e3)
}

// untold is why a case says nothing of the UPF; "": it says something.
func untold(c *record.Case) string {
	if c.Verdict == record.VerdictNotApplicable {
		return c.Observed
	}
	return ""
}

// Flows is what QoS flows got that competed.
func Flows(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("Case"), block.Words("UPF"), block.Number("QFI", ""),
		block.Number("GBR", "Mbit/s"), block.Number("MBR", "Mbit/s"),
		block.Number("Offered", "Mbit/s"), block.Number("Passed", "Mbit/s"), block.Number("Loss", "%")}}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			for _, f := range d.Cases[i].Flows {
				t.Rows = append(t.Rows, block.Row{Cells: block.Cells(d.Cases[i].ID, d.Label, fmt.Sprint(f.QFI), rate(f.GBRBPS), rate(f.MBRBPS),
					fmt.Sprintf("%.3f", f.OfferedBPS/1e6), fmt.Sprintf("%.3f", f.PassedBPS/1e6), units.Percent(f.LossRatio))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "QoS flows in competition",
		Hint: "Uplink, of T-PDUs, without the time in which the machine was disturbed.", Blocks: []block.Block{t}}
}

// rate writes bit/s as Mbit/s; "none" for 0.
func rate(bps float64) string {
	if bps == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f", bps/1e6)
}

// Usages is what was counted under load, and when it was reported.
func Usages(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("Case"), block.Words("UPF"), block.Number("Sent", "octets"),
		block.Number("Arrived", "octets"), block.Number("Counted", "octets"),
		block.Number("Difference", "octets"), block.Number("Load", "packets/s"), block.Number("Reports", ""),
		block.Number("Beyond the quota", "octets"), block.Number("Threshold to report", "ms")}}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			if u := d.Cases[i].Usage; u != nil {
				t.Rows = append(t.Rows,
					block.Row{Cells: block.Cells(d.Cases[i].ID, d.Label, units.Count(u.SentOctets),
						units.Count(u.ArrivedOctets), units.Count(u.CountedOctets),
						difference(u), load(u), fmt.Sprint(u.Reports), fmt.Sprint(u.OverOctets), fmt.Sprintf("%.1f", u.DelaySeconds*1e3))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Usage", Blocks: []block.Block{t}}
}

// difference is by how much the count is outside what arrived and what was sent; "-" where
// there is no report.
func difference(u *record.Usage) string {
	if u.Reports == 0 {
		return "-"
	}
	is := min(max(u.CountedOctets, u.ArrivedOctets), u.SentOctets)
	return fmt.Sprintf("%+d", int64(u.CountedOctets)-int64(is))
}

// load is the rate that was counted, where it is one that was found.
func load(u *record.Usage) string {
	if u.LoadPPS == 0 {
		return "-"
	}
	return units.Count(uint64(u.LoadPPS))
}
