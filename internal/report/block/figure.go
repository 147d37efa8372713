package block

import (
	"math"
	"slices"
)

// Figure is a chart as data.
type Figure struct {
	ID      string // in a page, and the name of a file
	Title   string
	Caption string // how to read it
	Shape   Shape
	// Views are alternatives, of which one is shown at a time: ViewOf says what they
	// are, Start which comes first.
	Views  []View
	ViewOf string
	Start  int
	// LogChoice lets the reader take logarithmic axes, both of them, in place of linear ones. A figure
	// that is Pressed has the choice for its y axis.
	LogChoice bool
	// Follow is the axis along which a pointer reads all series at once: "x", "y";
	// "": the points under it.
	Follow string
	// Action is a link beside what a reader may choose; nil: there is none.
	Action *Link
	// Legend is what the legend has besides the names of the series.
	Legend []Sample
	Only   Format
}

// Link is a text that leads to an address of the same server or folder.
type Link struct{ Text, URL string }

// Shape is the kind of a figure.
type Shape string

// The shapes.
const (
	XY      Shape = "xy"      // points and lines
	Columns Shape = "columns" // upright, grouped by the categories of the x axis
	Bars    Shape = "bars"    // level, one for each series, with a span and a note
)

// View is one alternative of a figure.
type View struct {
	Name    string
	Note    string // a remark at the legend
	Caption string // what one sees in it
	Panels  []Panel
}

// Panel is one pair of axes.
type Panel struct {
	Title  string
	X      Axis
	Y      Axis
	Series []Series
	Rules  []Rule
	Areas  []Area
	Heat   *Heat
	// Near is a range of x that the reader may look at more closely.
	Near []Num
	// Tip names the values that points have beyond x and y.
	Tip []Field
}

// Axis is an axis: Label has no unit where Unit is one that is written with each
// value.
type Axis struct {
	Label      string
	Unit       Unit
	Scale      Scale
	Least      Num // the axis reaches at least so far
	Categories []string
}

// Unit is that of an axis' values, in which they are also in Points.
type Unit string

// The units; others are written behind the number as they are.
const (
	Pure    Unit = ""
	PPS     Unit = "pps"
	BPS     Unit = "bps"
	Nanos   Unit = "ns"
	Ratio   Unit = "ratio" // 0..1, written in %
	Seconds Unit = "s"
	Cores   Unit = "cores"
)

// Scale is how an axis is divided.
type Scale string

// The scales.
const (
	Linear    Scale = ""
	Log       Scale = "log"
	LogOrZero Scale = "log0"   // logarithmic, with a place for 0 below
	Dates     Scale = "dates"  // of seconds since 1970
	Rarity    Scale = "rarity" // of shares 0..1: each ten times fewer above it take the same height
)

// Series is one line, set of points, or bar.
type Series struct {
	Name  string
	Color string
	Line  string // "": none; "solid", "thin", "dashed", "thin dashed"
	Mark  string // "": none; "circle", "square", "triangle", "diamond", "cross"
	Bad   bool   // not valid: the legend says so
	Data  []Point
	Bar   *Span
	// Band is an area along the line, Whiskers are upright lines through points: both
	// are intervals of Y.
	Band     []Interval
	Whiskers []Interval
}

// Point is one point of a series. Y is NaN where there is a gap.
type Point struct {
	X, Y  float64
	Style string // "": as the series; "hollow", "cross", "pale"
	Link  string // where a click leads, an address of the same server or folder; "": nowhere
	More  []any  // the values that Panel.Tip names: numbers, texts, nil for unknown
}

// Span is a bar with its interval.
type Span struct {
	Value   Num
	Text    string
	Low     *Num
	High    *Num
	Range   string // the interval as written
	RangeOf string // what it is
	Note    string
	Hatched bool  // to be read with care
	Far     []Num // outliers
}

// Field is a further value of points.
type Field struct {
	Name string
	Unit Unit
}

// Sample is an entry of a legend.
type Sample struct {
	Text  string
	Color string
	Line  string
	Mark  string
	Style string
}

// Kind names the type.
func (Figure) Kind() string { return "figure" }

// In is where it shows up.
func (f Figure) In() Format { return f.Only }

// Empty reports whether there is nothing to draw.
func (f Figure) Empty() bool {
	for _, v := range f.Views {
		for _, p := range v.Panels {
			if len(p.Series) > 0 || p.Heat != nil {
				return false
			}
		}
	}
	return true
}

// Pressed reports whether a few outliers press the curves of a panel to a linear axis: half of its
// points or more are in the lowest tenth.
func (f Figure) Pressed() bool {
	return f.Shape == XY && slices.ContainsFunc(f.Views, func(v View) bool { return slices.ContainsFunc(v.Panels, Panel.pressed) })
}

func (p Panel) pressed() bool {
	const least = 4 // points that a curve has
	if p.Y.Scale != Linear || len(p.Y.Categories) > 0 {
		return false
	}
	var values []float64
	for _, s := range p.Series {
		for _, q := range s.Data {
			if q.Y > 0 && !math.IsInf(q.Y, 0) {
				values = append(values, q.Y)
			}
		}
	}
	if len(values) < least {
		return false
	}
	slices.Sort(values)
	return values[len(values)/2] < values[len(values)-1]/10
}

// Num is a number of which there may be none: NaN.
type Num float64

// Known is nil for what is no number.
func Known(v float64) *Num {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	n := Num(v)
	return &n
}
