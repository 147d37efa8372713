package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// onlySize is a result with the trials and searches of one size.
func onlySize(r *record.Result, size string) *record.Result {
	one := *r
	one.DUTs = slices.Clone(r.DUTs)
	for i := range one.DUTs {
		d := &one.DUTs[i]
		d.Trials = slices.DeleteFunc(slices.Clone(d.Trials), func(t record.Trial) bool { return differs(t.SizeName(), size) })
		d.Searches = slices.DeleteFunc(slices.Clone(d.Searches), func(s record.Search) bool { return differs(s.SizeName(), size) })
	}
	return &one
}

// differs reports whether something is of another size.
func differs(name, size string) bool { return name != size && name != "0" }

// bySize sorts rows and searches by size and lets their names tell it.
func (d *dutView) bySize(sizes []string) {
	d.sized = true
	slices.SortStableFunc(d.Rows, func(a, b row) int {
		return cmp.Compare(slices.Index(sizes, a.group.Size), slices.Index(sizes, b.group.Size))
	})
	for _, list := range [][]*searchView{d.Found, d.Others} {
		slices.SortStableFunc(list, func(a, b *searchView) int {
			return cmp.Compare(slices.Index(sizes, a.SizeName()), slices.Index(sizes, b.SizeName()))
		})
		for _, s := range list {
			s.sized = true
		}
	}
	for i := range d.Rows {
		d.Rows[i].Where = d.where(d.Rows[i].group)
	}
}

// where is a direction, with the size before it where there are several.
func (d dutView) where(g group) string {
	if d.sized {
		return g.Size + " " + g.Direction
	}
	return g.Direction
}

// parts are the views that tables are made of: one for each size.
func (v view) parts() []view {
	if len(v.Sizes) == 0 {
		return []view{v}
	}
	return v.Sizes
}

// sizeWords says what a size is: "frame:512: 422 B of UDP payload ...", of a
// mixture the means.
func (v view) sizeWords() []string {
	var lines []string
	for _, direction := range v.Directions {
		if t := v.anyTrial(direction); t != nil {
			lines = append(lines, direction+" "+lengths(t))
		}
	}
	return lines
}

// lengths are those of a trial's packets.
func lengths(t *record.Trial) string {
	words := fmt.Sprintf("%d B of UDP payload, inner packet %d B, frame %d B towards the UPF and %d B from it",
		t.PayloadBytes, t.InnerBytes, t.FrameBytes, t.RxFrameBytes)
	if t.Direction == "both" {
		words = fmt.Sprintf("in the mean %d B of UDP payload, inner packet %d B, frame %d B", t.PayloadBytes, t.InnerBytes, t.FrameBytes)
	}
	if t.Mixed {
		return words + " (a mixture: means)"
	}
	return words
}

// sizeLine is what one DUT did with one size, by direction.
type sizeLine struct {
	Size    string
	First   bool // of its size
	DUTs    int  // lines of its size
	DUT     dutView
	Figures []figures // in the order of the view's directions
}

// sizeLines is the overview of a result with several sizes; none of any other.
func (v view) sizeLines() []sizeLine {
	var lines []sizeLine
	for _, one := range v.Sizes {
		heads := one.headlines()
		for i, h := range heads {
			l := sizeLine{Size: one.Size, First: i == 0, DUTs: len(heads), DUT: h.DUT}
			for _, direction := range v.Directions {
				l.Figures = append(l.Figures, one.figures(h.DUT, direction))
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// Rate is the rate that stands for a direction: the non-drop rate where it was
// searched, else the highest received.
func (f figures) Rate() (mpps, gbps, note string) {
	if f.NDR.Searched {
		return f.NDR.Mpps.Text, f.NDR.Gbps.Text, f.NDR.Note
	}
	return f.Mpps.Text, f.Gbps.Text, f.Note
}

// RateText, BitsText and RateNote are Rate for the templates.
func (f figures) RateText() string { mpps, _, _ := f.Rate(); return mpps }

// BitsText is the rate in Gbit/s.
func (f figures) BitsText() string { _, gbps, _ := f.Rate(); return gbps }

// RateNote is what the rate is.
func (f figures) RateNote() string { _, _, note := f.Rate(); return note }

// LimitNotes reports whether the DUT has a limit to tell: the reference has none.
func (l sizeLine) LimitNotes() bool { return !l.DUT.Reference }
