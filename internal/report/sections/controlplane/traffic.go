package controlplane

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Beside is user traffic of sessions that no procedure touched.
func Beside(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Merged("User traffic"),
		block.Key("Procedures"), block.Number("Loss", ""), block.Number("Blocked", "ms"),
		block.Number("p50", "µs"), block.Number("p99", "µs"), block.Number("Reordered", ""),
		block.Number("Wrong", ""), block.Words("Of the procedures"), block.Prose("Doubts").In(block.Pages)}}
	t.Rows = rows(v, func(c *record.ControlPlane) []record.BesideTraffic { return c.Beside },
		func(d *view.UPF, x record.BesideTraffic) []block.Cell {
			loss := block.Cell{Text: units.Loss(x.FrameLossRatio)}
			if !x.Valid {
				loss = block.Cell{Text: loss.Text + " (not valid)", Tone: block.Warn}
			}
			return []block.Cell{d.NameCell(),
				block.T(fmt.Sprintf("%s, %s kpps (%.0f %%)", x.Direction, units.Kpps(x.LoadPPS), 100*x.Share)),
				block.T(with(x)), loss,
				block.T(units.Number(1e3*x.BlockedS, "%.3f")), block.T(units.Micros(float64(x.P50NS))),
				block.T(units.Micros(float64(x.P99NS))), block.T(units.Count(x.Reordered)),
				block.T(units.Count(x.Wrong)), block.T(became(x.Procedures)), block.T(block.Printable(strings.Join(x.Reasons, "; ")))}
		})
	return section("User traffic during procedures",
		"Sessions that the procedures did not change, at a share of what the UPF carries with at most 0.5 % of "+
			"loss, while procedures ran on other sessions. "+
			"“To the bench”: the same procedures went to a responder of upflab's in place of the UPF, which shows "+
			"what the bench itself disturbs. Blocked: lost packets / offered load.", t)
}

func with(x record.BesideTraffic) string {
	switch x.With {
	case record.BesideNobody:
		return "none"
	case record.BesideBench:
		return fmt.Sprintf("%.0f/s to the bench", x.PerS)
	}
	return fmt.Sprintf("%.0f/s", x.PerS)
}

// became is what became of procedures.
func became(l *record.ProcedureLoad) string {
	if l == nil || l.Latency == nil {
		return ""
	}
	text := "p99 " + units.Time(float64(l.Latency.P99))
	if l.Answers != nil {
		text += ", from sending to the answer " + units.Time(float64(l.Answers.P99))
	}
	if n := l.Refused + l.Unanswered; n > 0 {
		text += fmt.Sprintf(", %d of %d not done", n, l.Sent)
	}
	return text
}

// Scales are packets/s over the number of rules.
func Scales(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Merged(""), block.Key("Number"),
		block.Words("Direction"), block.Number("Received", "kpps"),
		block.Words("Limited by"), block.Words("Receive queues").In(block.Pages), block.Prose("Why not").In(block.Pages)}}
	t.Rows = rows(v, func(c *record.ControlPlane) []record.RuleScale { return c.Scales }, func(d *view.UPF, x record.RuleScale) []block.Cell {
		rate := block.Cell{Text: view.AtLeast(x.LimitedBy != record.LimitDUT, units.Kpps(x.RxPPS))}
		if x.Why != "" {
			rate = block.Cell{Text: "none", Tone: block.Bad}
		} else if !x.Valid {
			rate = block.Cell{Text: rate.Text + " (not valid)", Tone: block.Warn}
		}
		return []block.Cell{d.NameCell(), block.T(scaled[x.What]), block.T(fmt.Sprint(x.N)),
			block.T(string(x.Direction)), rate, block.T(string(x.LimitedBy)), block.T(queueShares(x.Queues)),
			block.T(block.Printable(x.Why))}
	})
	return section("Packets a second over the number of rules, sessions and gNBs",
		"Unpaced. PDRs of one session: those beyond two have filters for other hosts and are looked at first. "+
			"Sessions: traffic is spread over all. gNBs: each has an address of its own; which receive queue its "+
			"packets come to is up to the NIC (with veth, to the CPU that sends).", t)
}

var scaled = map[string]string{record.ScalePDRs: "PDRs of a session", record.ScaleSessions: "sessions",
	record.ScaleGNBs: "gNBs, 64 sessions"}

// queueShares is what each receive queue took: "n3 0: 62 %, n3 1: 38 %".
func queueShares(queues []record.QueueUse) string {
	var words []string
	for _, q := range queues {
		words = append(words, fmt.Sprintf("%s %d: %.3g %%", q.Port, q.Queue, 100*q.Ratio))
	}
	return strings.Join(words, ", ")
}
