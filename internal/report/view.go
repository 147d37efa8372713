package report

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// view is a result prepared for showing; all formats are written from it.
type view struct {
	*record.Result
	DUTs       []dutView // references last
	Directions []string
	Loads      []string // of load trials, ascending, max last
	Latencies  []string // of latency trials
	Repeated   bool     // some trial was repeated
	Bad        []verdict
	// Searched and HasReference tell what the reports have room for: searches,
	// and the figures of a reference that was measured.
	Searched, HasReference bool
	HasCurves, HasBursts   bool     // loss curves, burst searches
	Parts                  []string // names of the parts of CPU time
	// Sizes are the views of each size alone, where there are several; Size is the
	// one of such a view. Tables and charts are made of these, so that no figure
	// mixes sizes.
	Sizes []view
	Size  string
	// Published is what others measured of its UPFs.
	Published []publishedStudy
	share     int // of what the charts may hold, one of so many views has
}

// dutView is a DUT with its trials grouped.
type dutView struct {
	*record.DUT
	Label string // "eupf:native"
	Index int    // its place in the report
	Color string // "c0".."c5", "ref" for references
	Rows  []row
	Found []*searchView // its searches for rates
	// Others are its other searches: loss curves, bursts.
	Others []*searchView
	sized  bool // there are several sizes
}

func newView(r *record.Result) view {
	v := wholeView(r)
	sizes := sizesOf(r)
	if len(sizes) < 2 {
		return v
	}
	for i := range v.DUTs {
		v.DUTs[i].bySize(sizes)
	}
	v.Bad = v.invalid()
	for _, size := range sizes {
		one := wholeView(onlySize(r, size))
		one.share, one.Parts = len(sizes), v.Parts
		one.Size, one.HasReference, one.Searched, one.Repeated = size, v.HasReference, v.Searched, v.Repeated
		v.Sizes = append(v.Sizes, one)
	}
	return v
}

// wholeView takes a result as it is.
func wholeView(r *record.Result) view {
	v := view{Result: r, share: 1}
	for _, d := range inOrder(r.DUTs) {
		v.DUTs = append(v.DUTs, viewDUT(d, len(v.DUTs)))
	}
	v.Directions = directionsOf(r)
	v.Loads = loadsOf(r, record.KindLoad)
	v.Latencies = loadsOf(r, record.KindLatency)
	v.Repeated = slices.ContainsFunc(v.DUTs, dutView.repeated)
	v.Bad = v.invalid()
	v.Searched = slices.ContainsFunc(v.DUTs, func(d dutView) bool { return len(d.Found) > 0 })
	v.HasCurves = slices.ContainsFunc(v.DUTs, func(d dutView) bool { return len(only(d.Others, methodLossCurve)) > 0 })
	v.HasBursts = slices.ContainsFunc(v.DUTs, func(d dutView) bool { return len(only(d.Others, methodBackToBack)) > 0 })
	v.Parts = v.partNames()
	v.besides()
	return v
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

func viewDUT(d *record.DUT, index int) dutView {
	v := dutView{DUT: d, Label: label(d), Index: index, Color: color(d, index)}
	for _, g := range groupsOf(d) {
		v.Rows = append(v.Rows, newRow(v, g))
	}
	for _, s := range viewSearches(v) {
		if s.ofRates() {
			v.Found = append(v.Found, s)
		} else {
			v.Others = append(v.Others, s)
		}
	}
	for i := range v.Rows {
		v.Rows[i].doubt(v)
	}
	return v
}

// colours is how many the style sheet has.
const colours = 10

func color(d *record.DUT, index int) string {
	if d.Reference {
		return "ref"
	}
	return fmt.Sprintf("c%d", index%colours)
}

func label(d *record.DUT) string {
	if d.Mode == "" {
		return d.Name
	}
	return d.Name + ":" + d.Mode
}

func (d dutView) repeated() bool {
	return slices.ContainsFunc(d.Rows, func(r row) bool { return len(r.group.All) > 1 })
}

// row finds the figures of one trial; nil when it was not run.
func (d dutView) row(kind, direction, load string) *row {
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.group.Kind == kind && r.group.Direction == direction && r.group.Load == load {
			return r
		}
	}
	return nil
}

// failed reports whether the DUT has something to explain.
func (d dutView) failed() bool { return d.Error != "" || d.Status == record.StatusFailed }

// state is how the DUT ended; a result that does not say ended well.
func (d dutView) state() string {
	if d.Status == "" {
		return string(record.StatusOK)
	}
	return string(d.Status)
}
