package trials

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Queues is how the load spread over the UPF's receive queues and cores, where it has
// several: one gNB, or one TEID, may be all on one.
func Queues(v *view.Run) block.Section {
	s := block.Section{Title: "Receive queues and cores of the UPF",
		Hint: "Share of the packets that each receive queue took, and how busy each of the UPF's CPUs was, " +
			"used by anything. A queue is received by one CPU at a time, " +
			"so a UPF whose load is all on one queue is as fast as one core."}
	if len(v.Queues()) > 0 || len(v.Host.Placement.DUT) > 1 || len(v.GNBs) > 0 {
		var facts []block.Fact
		if len(v.GNBs) > 0 {
			facts = append(facts, block.Fact{Name: fmt.Sprintf("%d gNBs", len(v.GNBs)), Value: strings.Join(v.GNBs, ", ")})
		}
		if facts = append(facts, ports(v)...); len(facts) > 0 {
			s.Blocks = append(s.Blocks, block.Facts{List: facts})
		}
		s.Blocks = append(s.Blocks, tables(v, record.KindLoad, queueColumns(v))...)
	}
	return s
}

// ports says how physical ports were set up; all DUTs of a run have the same.
func ports(v *view.Run) (list []block.Fact) {
	for _, d := range v.DUTs {
		for _, n := range d.Setup.NICs {
			words := units.Plural(n.Queues, "queue") + " that receive"
			switch {
			case len(n.TEIDHash) > 0:
				words += ", picked by a hash with the TEID in it (" + strings.Join(n.TEIDHash, ", ") + ")"
			case n.Rules > 0:
				words += ", picked by a rule for each of " + units.Plural(n.Rules, "TEID")
			case n.Why != "":
				words += "; not picked by the TEID: " + n.Why
			}
			list = append(list, block.Fact{Name: fmt.Sprintf("%s, %s's port %s", strings.ToUpper(n.Link), n.End, n.Device), Value: words})
		}
		if len(list) > 0 {
			break
		}
	}
	return list
}

func queueColumns(v *view.Run) []column {
	columns := []column{loadColumn(), upfColumn(), received("kpps", view.RxPPS, units.Kpps)}
	for _, q := range v.Queues() {
		columns = append(columns, cell(fmt.Sprintf("%s queue %d", q.Port, q.Queue), "%", view.QueueRatio(q.Port, q.Queue), units.Percent))
	}
	dut := slices.Clone(v.Host.Placement.DUT)
	if len(v.Queues()) > 0 { // without a thread, a queue is received where it is sent from
		dut = append(dut, v.Host.Placement.Senders()...)
	}
	slices.Sort(dut)
	for _, cpu := range slices.Compact(dut) {
		columns = append(columns, cell(fmt.Sprintf("CPU %d", cpu), "% busy", view.CPUBusy(cpu), units.Percent))
	}
	return columns
}
