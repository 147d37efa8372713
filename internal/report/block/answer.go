package block

// Answers is what the reader wants to know first: one sentence for each thing
// measured, and the figures behind it.
type Answers []Answer

// Answer is that of one thing.
type Answer struct {
	Name     Cell
	Version  string
	State    string // a word, where something is wrong: "failed"
	Problem  string // why
	Sentence string
	// Cards answer one question each, in the order in which they are asked; where there are some,
	// they take the place of the sentence.
	Cards []Card
	Tiles []Tile
}

// Card is a question and its answer, a line for each direction.
type Card struct {
	Question string
	Lines    []string
}

// Tile is one large figure with smaller ones below it.
type Tile struct {
	Title  string // "uplink"
	What   string // what the large figure is
	Big    Quantity
	Second Quantity
	Bad    bool // there is no figure to give
	Bar    *Bar
	Notes  []string
	Facts  []Quantity
}

// Quantity is a figure as written, with its unit.
type Quantity struct {
	Name, Text, Unit string
	Range            string // over repeats; "" where they are written alike
}

// Bar compares a tile's figure with another.
type Bar struct {
	Percent int    // 0 or more: a figure may exceed what it is compared with
	Of      string // what 100 % is
}

// Width is how long the bar is drawn, percent: it ends at 100.
func (b Bar) Width() int { return min(b.Percent, 100) }

// Kind names the type.
func (Answers) Kind() string { return "answers" }

// In is where it shows up.
func (Answers) In() Format { return 0 }
