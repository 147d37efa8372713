package trials

import (
	"fmt"
	"slices"
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
		block.Number("lowest", ""), block.Number("highest", ""), block.Number("Program", "")}}
	var notValid []block.Block
	list := countsOf(v.UPFs)
	for _, of := range names(list) {
		for _, c := range list {
			if c.countedName != of {
				continue
			}
			words := of.words(sized(list))
			t.Rows = append(t.Rows, c.row(words))
			for _, why := range slices.Compact(slices.Sorted(slices.Values(c.why))) {
				notValid = append(notValid, block.Note{Tone: block.Warn, Label: "Not valid",
					Text: c.upf.Label + ", " + words + ": " + block.Printable(why)})
			}
		}
	}
	if len(t.Rows) > 0 {
		s.Blocks = append([]block.Block{t}, notValid...)
	}
	return s
}

// countedName tells figures apart: of packets of a direction and a size, or of requests.
type countedName struct {
	direction       record.Direction
	procedure, size string
}

// words are "a packet, uplink", with its size where others have another, and "a request, modify".
func (n countedName) words(sized bool) string {
	switch {
	case n.procedure != "":
		return "a request, " + n.procedure
	case sized:
		return "a packet, " + string(n.direction) + ", " + n.size
	}
	return "a packet, " + string(n.direction)
}

// counts are the repeats of a figure of a UPF.
type counts struct {
	countedName
	upf           *view.UPF
	each, program []float64
	why           []string // a repeat is not valid
}

// countsOf lists what was counted of UPFs.
func countsOf(upfs []*view.UPF) (list []*counts) {
	for _, d := range upfs {
		for i := range d.Instructions {
			x := &d.Instructions[i]
			n := countedName{x.Direction, x.Procedure, x.Size}
			at := slices.IndexFunc(list, func(c *counts) bool { return c.upf == d && c.countedName == n })
			if at < 0 {
				at, list = len(list), append(list, &counts{countedName: n, upf: d})
			}
			list[at].add(x)
		}
	}
	return list
}

func (c *counts) add(x *record.Instructions) {
	if !x.Valid {
		c.why = append(c.why, x.Reasons...)
		return
	}
	c.each = append(c.each, x.Each)
	if x.Program > 0 {
		c.program = append(c.program, x.Program)
	}
}

// names are what was counted, each once.
func names(list []*counts) (once []countedName) {
	for _, c := range list {
		if !slices.Contains(once, c.countedName) {
			once = append(once, c.countedName)
		}
	}
	return once
}

// sized reports whether packets of several sizes were counted.
func sized(list []*counts) bool {
	size := ""
	for _, c := range list {
		if c.procedure != "" {
			continue
		}
		if size != "" && c.size != size {
			return true
		}
		size = c.size
	}
	return false
}

func (c *counts) row(words string) block.Row {
	tone := c.upf.Tone()
	if len(c.each) == 0 {
		tone = block.Bad
	}
	lowest, highest := units.None, units.None
	if len(c.each) > 0 {
		low, high := stats.MinMax(c.each)
		lowest, highest = whole(low), whole(high)
	}
	return block.Row{Tone: tone, Cells: []block.Cell{block.T(words), c.upf.NameCell(), block.T(middle(c.each)), block.T(lowest), block.T(highest),
		block.T(middle(c.program))}}
}

// middle writes that of what is known.
func middle(values []float64) string {
	if len(values) == 0 {
		return units.None
	}
	return whole(stats.Median(values))
}

func whole(x float64) string { return fmt.Sprintf("%.0f", x) }

// InstructionsSentence is what a UPF takes, in a line.
func InstructionsSentence(d *view.UPF) string {
	var parts []string
	list := countsOf([]*view.UPF{d})
	for _, c := range list {
		words := string(c.direction) + c.procedure
		if c.procedure == "" && sized(list) {
			words += " " + c.size
		}
		words += " " + middle(c.each)
		if len(c.program) > 0 {
			words += " (program " + middle(c.program) + ")"
		}
		parts = append(parts, words)
	}
	return strings.Join(parts, ", ") + " instructions"
}
