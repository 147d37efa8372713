package block

// Figure is a chart as data: whoever draws it needs nothing else, be it a script in
// a page or a writer of SVG.
type Figure struct {
	ID      string `json:"id"` // in a page, and the name of a file
	Title   string `json:"title"`
	Caption string `json:"caption"` // how to read it
	Shape   Shape  `json:"shape"`
	// Views are alternatives, of which one is shown at a time: ViewOf says what they
	// are, Start which comes first.
	Views  []View `json:"views"`
	ViewOf string `json:"viewOf,omitempty"`
	Start  int    `json:"start,omitempty"`
	// LogChoice lets the reader take logarithmic axes in place of linear ones.
	LogChoice bool `json:"logChoice,omitempty"`
	// Follow is the axis along which a pointer reads all series at once: "x", "y";
	// "": the points under it.
	Follow string `json:"follow,omitempty"`
	// Legend is what the legend has besides the names of the series.
	Legend []Sample `json:"legend,omitempty"`
	Only   Format   `json:"-"`
}

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
	Name    string  `json:"name,omitempty"`
	Note    string  `json:"note,omitempty"` // a remark at the legend
	Caption string  `json:"says,omitempty"` // what one sees in it
	Panels  []Panel `json:"panels"`
}

// Panel is one pair of axes.
type Panel struct {
	Title  string   `json:"title,omitempty"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
	Rules  []Rule   `json:"rules,omitempty"`
	Areas  []Area   `json:"areas,omitempty"`
	Heat   *Heat    `json:"heat,omitempty"`
	// Near is a range of x that the reader may look at more closely.
	Near []Num `json:"near,omitempty"`
	// Tip names the values that points have beyond x and y.
	Tip []Field `json:"tip,omitempty"`
}

// Axis is an axis: Label has no unit where Unit is one that is written with each
// value.
type Axis struct {
	Label      string   `json:"label"`
	Unit       Unit     `json:"unit,omitempty"`
	Scale      Scale    `json:"scale,omitempty"`
	Least      Num      `json:"least,omitempty"` // the axis reaches at least so far
	Categories []string `json:"categories,omitempty"`
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
	Rarity    Scale = "rarity" // of shares 0..1: each ten times fewer above it take the same height
)

// Series is one line, set of points, or bar.
type Series struct {
	Name  string  `json:"name"`
	Color string  `json:"color"`
	Line  string  `json:"line,omitempty"` // "": none; "solid", "thin", "dashed", "thin dashed"
	Mark  string  `json:"mark,omitempty"` // "": none; "circle", "square", "triangle", "diamond", "cross"
	Bad   bool    `json:"bad,omitempty"`  // not valid: the legend says so
	Data  []Point `json:"data,omitempty"`
	Bar   *Span   `json:"bar,omitempty"`
	// Band is an area along the line, Whiskers are upright lines through points: both
	// are intervals of Y.
	Band     []Interval `json:"band,omitempty"`
	Whiskers []Interval `json:"whiskers,omitempty"`
}

// Point is one point of a series. Y is NaN where there is a gap.
type Point struct {
	X, Y  float64
	Style string // "": as the series; "hollow", "cross", "pale"
	More  []any  // the values that Panel.Tip names: numbers, texts, nil for unknown
}

// Span is a bar with its interval.
type Span struct {
	Value   Num    `json:"value"`
	Text    string `json:"text"`
	Low     *Num   `json:"low,omitempty"`
	High    *Num   `json:"high,omitempty"`
	Range   string `json:"range,omitempty"`   // the interval as written
	RangeOf string `json:"rangeOf,omitempty"` // what it is
	Note    string `json:"note,omitempty"`
	Hatched bool   `json:"hatched,omitempty"` // to be read with care
	Far     []Num  `json:"far,omitempty"`     // outliers
}

// Field is a further value of points.
type Field struct {
	Name string `json:"name"`
	Unit Unit   `json:"unit,omitempty"`
}

// Sample is an entry of a legend.
type Sample struct {
	Text  string `json:"text"`
	Color string `json:"color"`
	Line  string `json:"line,omitempty"`
	Mark  string `json:"mark,omitempty"`
	Style string `json:"style,omitempty"`
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
