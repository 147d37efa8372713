package block

// Rule is a line across a panel: at X, at Y, or where both are equal.
type Rule struct {
	X        *Num   `json:"x,omitempty"`
	Y        *Num   `json:"y,omitempty"`
	Diagonal bool   `json:"diagonal,omitempty"`
	Text     string `json:"text,omitempty"`
	Row      int    `json:"row,omitempty"` // 1.. : the row above the panel for the text
	Dashed   bool   `json:"dashed,omitempty"`
	Bad      bool   `json:"bad,omitempty"`
}

// Interval is a range of Y at X.
type Interval struct{ X, Low, High float64 }

// Area is a shaded range of x.
type Area struct {
	From Num    `json:"from"`
	To   Num    `json:"to"`
	Text string `json:"text,omitempty"`
	Pale bool   `json:"pale,omitempty"` // its edge is not certain
}

// Heat is rectangles whose color says how much is in them.
type Heat struct {
	Of    string     `json:"of"` // what a share is of: "packets of the load"
	Cells []HeatCell `json:"cells"`
}

// HeatCell is one rectangle; Share is 0..1.
type HeatCell struct{ X, ToX, Y, ToY, Share float64 }
