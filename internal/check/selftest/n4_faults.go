package selftest

import (
	"cmp"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut/calibrator/n4faults"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
)

// n4Faulty are a UPF without a fault on N4, and one for each fault.
func n4Faulty() []device {
	all := []device{{name: "calibrator"}}
	for _, k := range n4faults.Kinds() {
		all = append(all, device{name: "calibrator:n4=" + string(k)})
	}
	return all
}

// reported compares what each device did on N4 with what upflab reports: that
// and nothing else.
func reported(r *record.Result) (rows []Row) {
	for _, d := range r.DUTs {
		_, fault, _ := n4faults.Split(d.Mode)
		row := word("fault on N4", cmp.Or(fault.Finding(), "none"), faults(d.N4Findings, fault))
		row.Device, row.Trial = d.Name, "N4"
		if d.Mode != "" {
			row.Device += ":" + d.Mode
		}
		rows = append(rows, row)
	}
	return rows
}

// faults lists the codes of what was found. Requests that were repeated count
// only where that is the fault: others lead to it, and so does a busy machine.
func faults(found []record.N4Finding, fault n4faults.Kind) string {
	var codes []string
	for _, f := range found {
		if f.Code != smf.FindingRepeated || fault.Finding() == f.Code {
			codes = append(codes, f.Code)
		}
	}
	return cmp.Or(strings.Join(codes, ", "), "none")
}
