package view

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
)

// UPF is a device under test, or the reference, with its trials grouped.
type UPF struct {
	*record.DUT
	Label string // "eupf:native"
	Index int    // its place in the report
	Rows  []*Row
	Rates []*Search // its searches for rates
	// Others are its other searches: loss curves, bursts.
	Others []*Search
	Sized  bool // there are several sizes

	mixedArrivals bool // there are several arrival processes
}

func newUPF(d *record.DUT, index int) *UPF {
	v := &UPF{DUT: d, Label: label(d), Index: index}
	for _, g := range groupsOf(d) {
		v.Rows = append(v.Rows, &Row{Group: g, UPF: v})
	}
	v.setSearches()
	return v
}

func label(d *record.DUT) string {
	if d.Mode == "" {
		return d.Name
	}
	return d.Name + ":" + d.Mode
}

// inOrder keeps the order of the run, references last.
func inOrder(duts []record.DUT) []*record.DUT {
	var plain, references []*record.DUT
	for i := range duts {
		if duts[i].Reference {
			references = append(references, &duts[i])
		} else {
			plain = append(plain, &duts[i])
		}
	}
	return append(plain, references...)
}

// colors is how many a chart distinguishes.
const colors = 10

// Color names the color of its lines.
func (d *UPF) Color() string {
	if d.Reference {
		return "ref"
	}
	return fmt.Sprintf("c%d", d.Index%colors)
}

// Mark is the form of its points.
func (d *UPF) Mark() string {
	if d.Reference {
		return "circle"
	}
	return []string{"circle", "square", "triangle", "diamond"}[d.Index%4]
}

// NameCell is a cell with its label.
func (d *UPF) NameCell() block.Cell { return block.Cell{Text: d.Label, Color: d.Color()} }

// Tone is that of its rows.
func (d *UPF) Tone() block.Tone {
	if d.Reference {
		return block.Muted
	}
	return block.Plain
}

func (d *UPF) repeated() bool {
	return slices.ContainsFunc(d.Rows, func(r *Row) bool { return len(r.All) > 1 })
}

// Row finds the repeats of one trial; nil when it was not run.
func (d *UPF) Row(kind record.Kind, direction record.Direction, load record.Load) *Row {
	if rows := d.rowsOf(kind, direction, load); len(rows) > 0 {
		return rows[0]
	}
	return nil
}

// rowsOf lists the rows of a load: of several sizes or arrival processes there are some.
func (d *UPF) rowsOf(kind record.Kind, direction record.Direction, load record.Load) (rows []*Row) {
	for _, r := range d.Rows {
		if r.Kind == kind && r.Direction == direction && r.Load == load {
			rows = append(rows, r)
		}
	}
	return rows
}

// Failed reports whether the UPF has something to explain.
func (d *UPF) Failed() bool { return d.Error != "" || d.Status == record.StatusFailed }

// Measured reports whether there is any trial, search, flow or behaviour case.
func (d *UPF) Measured() bool {
	return len(d.Trials) > 0 || len(d.Searches) > 0 || len(d.Flows) > 0 || len(d.Cases) > 0 || d.ControlPlane != nil ||
		len(d.Incidents) > 0 || len(d.Instructions) > 0
}

// State is how the UPF ended; a result without a state ended well.
func (d *UPF) State() string {
	if d.Status == "" {
		return string(record.StatusOK)
	}
	return string(d.Status)
}

// Memory is the most that it took in a trial, bytes; 0: not known.
func (d *UPF) Memory() (most uint64) {
	for i := range d.Trials {
		most = max(most, d.Trials[i].MemoryBytes)
	}
	return most
}

// Best is the valid load trial with the highest received rate; nil if there is none.
func (d *UPF) Best(direction record.Direction) *Row {
	var top *Row
	rate := -1.0
	for _, r := range d.Rows {
		if r.Kind != record.KindLoad || r.Direction != direction || !r.Valid() {
			continue
		}
		if got := r.Stat(RxPPS).Median; got > rate {
			top, rate = r, got
		}
	}
	return top
}

// Lowest is the valid latency trial with the least load; nil if there is none.
func (d *UPF) Lowest(direction record.Direction) *Row {
	var least *Row
	for _, r := range d.Rows {
		if r.Kind == record.KindLatency && r.Direction == direction && r.Valid() &&
			(least == nil || OfferedPPS(r.All[0]) < OfferedPPS(least.All[0])) {
			least = r
		}
	}
	return least
}
