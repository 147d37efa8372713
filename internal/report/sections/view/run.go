// Package view prepares a result for its report: trials grouped by what they repeat,
// medians over what is valid, searches with what their rates are worth. Sections of
// the report are made from it.
//
// Three rules hold in all sections. A rate that something other than the UPF limited
// is preceded by "≥" and never called the UPF's maximum. A trial that is not valid is
// shown, marked, and excluded from every median that has a valid one to use. What was
// not measured is "n/a".
package view

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// Run is a result prepared for its report.
type Run struct {
	*record.Result
	UPFs       []*UPF // references last
	Directions []record.Direction
	Repeated   bool // some trial was repeated
	Searched   bool // rates were searched
	// HasReference is true where a reference was measured.
	HasReference bool
	// Sizes are the runs of each size alone, where there are several; Size is the one
	// of such a run. Tables and charts are made of these, so that no figure mixes
	// sizes.
	Sizes []*Run
	Size  string
	// ByArrivals are the runs of each arrival process alone, where there are several;
	// Arrivals is the title of the one of such a run.
	ByArrivals []*Run
	Arrivals   string
	share      int // of what the charts may hold, one of so many runs has
}

// New prepares a result.
func New(r *record.Result) *Run {
	v := whole(r)
	sizes := sizesOf(r)
	if len(sizes) < 2 {
		v.splitArrivals()
		return v
	}
	for _, d := range v.UPFs {
		d.bySize(sizes)
	}
	for _, size := range sizes {
		one := whole(onlySize(r, size))
		one.Size, one.share = size, len(sizes)
		one.HasReference, one.Searched, one.Repeated = v.HasReference, v.Searched, v.Repeated
		one.splitArrivals()
		v.Sizes = append(v.Sizes, one)
	}
	return v
}

// whole takes a result as it is.
func whole(r *record.Result) *Run {
	v := &Run{Result: r, share: 1, Directions: directionsOf(r)}
	for _, d := range inOrder(r.DUTs) {
		v.UPFs = append(v.UPFs, newUPF(d, len(v.UPFs)))
	}
	v.Repeated = slices.ContainsFunc(v.UPFs, (*UPF).repeated)
	v.Searched = slices.ContainsFunc(v.UPFs, func(d *UPF) bool { return len(d.Rates) > 0 })
	v.HasReference = slices.ContainsFunc(v.UPFs, func(d *UPF) bool { return d.Reference && len(d.Rows) > 0 })
	v.setReferenceLatency()
	return v
}

// Parts are the runs that tables and charts are made of: one for each size and arrival
// process.
func (v *Run) Parts() (parts []*Run) {
	switch {
	case len(v.Sizes) > 0:
		for _, one := range v.Sizes {
			parts = append(parts, one.Parts()...)
		}
		return parts
	case len(v.ByArrivals) > 0:
		return v.ByArrivals
	}
	return []*Run{v}
}

// Part is the title of a run that is a part of another; "" of a whole one.
func (v *Run) Part() string {
	switch {
	case v.Size == "":
		return v.Arrivals
	case v.Arrivals == "":
		return "Size " + v.Size
	}
	return "Size " + v.Size + ", " + v.Arrivals
}

// Points is the share of a number of points that the charts of this run may have.
func (v *Run) Points(all int) int { return all / v.share }

// Rows lists the rows of a kind and direction at a load, by UPF.
func (v *Run) Rows(kind record.Kind, direction record.Direction, load record.Load) (rows []*Row) {
	for _, d := range v.UPFs {
		rows = append(rows, d.rowsOf(kind, direction, load)...)
	}
	return rows
}

// AllRows lists all rows of a kind: by load in ascending order, then by UPF.
func (v *Run) AllRows(kind record.Kind, direction record.Direction) (rows []*Row) {
	for _, load := range v.Loads(kind) {
		rows = append(rows, v.Rows(kind, direction, load)...)
	}
	return rows
}

// AnyTrial is one of a UPF, or, where there is none, of the reference, which may not
// change the size of a frame; nil where nothing was measured.
func (v *Run) AnyTrial(direction record.Direction) *record.Trial {
	for _, d := range v.UPFs {
		for _, r := range d.Rows {
			if r.Direction == direction {
				return r.All[0]
			}
		}
	}
	return nil
}
