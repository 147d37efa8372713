package behaviour

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Inputs is how many inputs UPFs got, and what that left of their memory.
func Inputs(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("Case"), block.Words("UPF"), block.Number("Inputs", ""),
		block.Number("Rate", "1/s"), block.Number("Unread", "%"), block.Number("Answers", ""),
		block.Number("Sessions made", ""), block.Words("Memory"), block.Words("Open files"),
		block.Words("Sessions taken"), block.Number("Ends", "")}}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			c := &d.Cases[i]
			if a := c.Attack; a != nil && a.PerSecond > 0 {
				t.Rows = append(t.Rows,
					block.Row{Cells: block.Cells(c.ID, d.Label, units.Count(a.Inputs),
						fmt.Sprintf("%.0f", a.PerSecond), units.Percent(float64(a.Unread)/float64(max(a.Inputs, 1))),
						units.Count(a.Answers), units.Count(a.Sessions),
						change(a.MemoryBefore, a.MemoryAfter, units.Bytes),
						change(a.FilesBefore, a.FilesAfter, strconv.Itoa),
						change(a.RoomBefore, a.RoomAfter, strconv.Itoa), fmt.Sprint(ends(a)))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Inputs",
		Hint: "Unread: the UPF's sockets had no room for them. Memory and open files: after a quarter of the time " +
			"and at the end, with the sessions that the inputs made deleted. " +
			"Sessions taken: of 200 that are tried before the inputs and after them. " +
			"Ends: how often the UPF ended, or served nobody, by them.", Blocks: []block.Block{t}}
}

func ends(a *record.Attack) (n int) {
	for _, e := range a.Ended {
		n += e.Times
	}
	return n
}

func change[T comparable](from, to T, write func(T) string) string {
	var none T
	if from == none {
		return units.Blank
	}
	return write(from) + " → " + write(to)
}

// Floods is what users notice of floods.
func Floods(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("Flood"), block.Words("UPF"), block.Number("Offered", "1/s"),
		block.Number("Sent", "1/s"), block.Number("Users' loss", "%"),
		block.Number("p50", "µs"), block.Number("p99", "µs"), block.Number("Sent back", ""), block.Number("Octets back", "for each")}}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			c := &d.Cases[i]
			if c.Attack == nil {
				continue
			}
			for _, f := range c.Attack.Floods {
				t.Rows = append(t.Rows,
					block.Row{Cells: block.Cells(strings.TrimPrefix(c.ID, "attack.flood."), d.Label,
						fmt.Sprintf("%.0f", f.OfferedPPS), fmt.Sprintf("%.0f", f.SentPPS),
						units.Percent(f.LossRatio), units.Micros(f.P50NS), units.Micros(f.P99NS),
						units.Count(f.Reflected), fmt.Sprintf("%.2f", f.Amplification))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Floods",
		Hint: "Users have 500 packets/s, half of them in each direction, timed in user space at both ends: the " +
			"row of 0/s is what that costs itself. " +
			"Sent back: packets that the UPF sent on N3 of its own.", Blocks: []block.Block{t}}
}
