package block

// Rule is a line across a panel: at X, at Y, or where both are equal.
type Rule struct {
	X        *Num
	Y        *Num
	Diagonal bool
	Text     string
	Row      int // 1.. : the row above the panel for the text
	Dashed   bool
	Bad      bool
}

// Interval is a range of Y at X.
type Interval struct{ X, Low, High float64 }

// Area is a shaded range of x.
type Area struct {
	From Num
	To   Num
	Text string // in the legend
	Name string // in the panel, where there is room: of one among many, such as a trial
	Pale bool   // its edge is not certain; of one with a name: it is less shaded
}

// Heat is rectangles whose color says how much is in them.
type Heat struct {
	Of    string // what a share is of: "packets of the load"
	Cells []HeatCell
}

// HeatCell is one rectangle; Share is 0..1.
type HeatCell struct{ X, ToX, Y, ToY, Share float64 }
