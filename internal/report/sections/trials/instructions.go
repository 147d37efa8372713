package trials

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Instructions are those of packets and requests, where the machine counted them.
func Instructions(v *view.Run) block.Section {
	s := block.Section{Title: "Instructions",
		Hint: "Counted in an emulated machine without caches and pipeline: they say how much a processor has to do, not how long it takes. " +
			"Packets were sent one at a time. Packet: what the whole machine executed for one, beyond what it takes through wire; of wire, all. " +
			"Program: the UPF's XDP program alone. Request: the UPF's processes. Medians over the repeats, with the lowest and the highest."}
	t := block.Table{Columns: []block.Column{block.Merged("Of"), block.Key("UPF"), block.Number("Instructions", ""),
		block.Number("lowest", ""), block.Number("highest", ""), block.Number("Program", ""), block.Words("Not valid").In(block.Pages)}}
	for _, of := range countedNames(v) {
		for _, d := range v.UPFs {
			if row, any := countedRow(d, of); any {
				t.Rows = append(t.Rows, row)
			}
		}
	}
	if len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, t)
	}
	return s
}

// counted tells figures apart.
type countedName struct{ name, size string }

func countedNames(v *view.Run) (list []countedName) {
	known := map[countedName]bool{}
	for _, d := range v.UPFs {
		for i := range d.Instructions {
			if n := nameOf(&d.Instructions[i]); !known[n] {
				known[n], list = true, append(list, n)
			}
		}
	}
	return list
}

func nameOf(x *record.Instructions) countedName { return countedName{x.Name(), x.Size} }

func countedRow(d *view.UPF, of countedName) (row block.Row, any bool) {
	var each, program []float64
	var why []string
	for i := range d.Instructions {
		x := &d.Instructions[i]
		switch {
		case nameOf(x) != of:
			continue
		case x.Valid:
			each = append(each, x.Each)
			if x.Program > 0 {
				program = append(program, x.Program)
			}
		default:
			why = append(why, x.Reasons...)
		}
		any = true
	}
	words := "a packet, " + of.name
	if of.size == "" {
		words = "a request, " + of.name
	}
	lowest, highest, median := units.None, units.None, units.None
	if len(each) > 0 {
		low, high := stats.MinMax(each)
		median, lowest, highest = whole(stats.Median(each)), whole(low), whole(high)
	}
	alone := units.None
	if len(program) > 0 {
		alone = whole(stats.Median(program))
	}
	row = block.Row{Tone: d.Tone(), Cells: []block.Cell{block.T(words), d.NameCell(), block.T(median), block.T(lowest), block.T(highest), block.T(alone),
		block.T(block.Printable(strings.Join(why, "; ")))}}
	if len(each) == 0 {
		row.Tone = block.Bad
	}
	return row, any
}

func whole(x float64) string { return fmt.Sprintf("%.0f", x) }

// InstructionsSentence is what a UPF takes, in a line.
func InstructionsSentence(d *view.UPF) string {
	var parts []string
	known := map[countedName]bool{}
	for i := range d.Instructions {
		of := nameOf(&d.Instructions[i])
		if known[of] {
			continue
		}
		known[of] = true
		row, _ := countedRow(d, of)
		words := of.name + " " + row.Cells[2].Text
		if program := row.Cells[5].Text; program != units.None {
			words += " (program " + program + ")"
		}
		parts = append(parts, words)
	}
	return strings.Join(parts, ", ") + " instructions"
}
