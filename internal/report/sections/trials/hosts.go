package trials

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Hosts is what each host did in each trial, where several took part.
func Hosts(v *view.Run) block.Section {
	if len(v.Hosts) == 0 {
		return block.Section{}
	}
	t := block.Table{Columns: []block.Column{block.Key("UPF"), block.Words("Trial"), block.Words("Host"),
		block.Number("Sent", ""), block.Number("Received", ""),
		block.Number("Busiest CPU that sends", "cores"), block.Number("First packet late by", "µs"), block.Number("Clock known to", "µs")}}
	for _, d := range v.UPFs {
		for _, r := range d.Rows {
			for _, trial := range r.All {
				t.Rows = append(t.Rows, hostRows(r, trial)...)
			}
		}
	}
	return block.Section{Title: "What each host did", Only: block.Pages, Blocks: []block.Block{takingPart(v), t},
		Hint: "All hosts begin a trial at one time, and send the packets of one schedule: sessions are dealt to their CPUs in turn. " +
			"How exactly a host's clock is known bounds the error of one-way delays to and from it; counts do not depend on clocks."}
}

func hostRows(r *view.Row, t *record.Trial) (list []block.Row) {
	for _, h := range t.Hosts {
		cells := []block.Cell{r.UPF.NameCell(), block.T(r.Where() + " " + r.Name())}
		cells = append(cells, block.Cells(h.Testbed, units.Count(h.TxPackets), units.Count(h.RxPackets), units.Cores(h.GeneratorCores),
			microseconds(h.StartNS), microseconds(h.ClockErrorNS))...)
		list = append(list, block.Row{Cells: cells, Tone: r.UPF.Tone()})
	}
	return list
}

func microseconds(ns uint64) string { return units.Number(float64(ns)/1e3, "%.1f") }

// takingPart lists the hosts.
func takingPart(v *view.Run) block.Block {
	list := []block.Fact{{Name: v.Host.Hostname, Value: "the UPF's; kernel " + v.Host.Kernel + ptp(v.Host.PTP)}}
	for _, h := range v.Hosts {
		list = append(list, block.Fact{Name: h.Testbed, Value: fmt.Sprintf("%s, port %s on %s, CPU %s; kernel %s; %s",
			role(h), h.Device, h.Host, numbers(h.CPUs), h.Kernel, clock(h.Clock)+ptp(h.Clock.PTP))})
	}
	if start := startWords(v); start != "" {
		list = append(list, block.Fact{Name: "Start", Value: start})
	}
	return block.Facts{List: list}
}

// skewGood is what hosts may differ by in when they begin, ns, besides what their clocks do.
const skewGood = 10_000

// startWords say how far apart the hosts that send began; "": one alone sent.
func startWords(v *view.Run) string {
	trials, good, most, clocks := 0, 0, uint64(0), uint64(0)
	for _, d := range v.DUTs {
		for _, t := range d.Trials {
			if senders(t) < 2 {
				continue
			}
			trials++
			if t.StartSkewNS <= skewGood {
				good++
			}
			most, clocks = max(most, t.StartSkewNS), max(clocks, t.ClockErrorNS)
		}
	}
	if trials == 0 {
		return ""
	}
	return fmt.Sprintf("the first packets of the hosts that send were late by amounts that differ by %s µs at "+
		"most, and in %d of %d trials by 10 µs or less; to that comes the clocks' error, %s µs at most",
		microseconds(most), good, trials, microseconds(clocks))
}

// senders is how many hosts sent in a trial.
func senders(t record.Trial) (n int) {
	for _, h := range t.Hosts {
		if h.TxPackets > 0 {
			n++
		}
	}
	return n
}

func role(h record.Member) string {
	if h.GNB != "" {
		return "gNB " + h.GNB
	}
	return "data network"
}

func numbers(list []int) string {
	text := ""
	for i, n := range list {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprint(n)
	}
	return text
}

func clock(c record.MemberClock) string {
	if c.Same {
		return "the same clock as the UPF's host"
	}
	text := fmt.Sprintf("its clock lacks %.3f ms, known to %s µs", float64(c.OffsetNS)/1e6, microseconds(c.ErrorNS))
	if !c.Synchronised {
		return text + ", and its wall clock is not synchronised"
	}
	return text + fmt.Sprintf(", and its wall clock is synchronised, to %s µs by its kernel", microseconds(c.KernelErrorNS))
}

// ptp is what ptp4l says of a host's clock; "": it does not run there.
func ptp(p *record.PTP) string {
	if p == nil {
		return ""
	}
	text := "; PTP: " + strings.Join(p.Ports, ", ")
	if p.Grandmaster == "" {
		return text + ", it follows no other clock"
	}
	return text + fmt.Sprintf(", %d ns off its master, %d ns of path delay, grandmaster %s at %d steps", p.OffsetNS,
		p.PathDelayNS, p.Grandmaster, p.Steps)
}
