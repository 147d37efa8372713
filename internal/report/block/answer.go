package block

import "strings"

// Answers is what the reader wants to know first of each thing measured.
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
}

// Card is a question and its answer, a line or more for each direction.
type Card struct {
	Question string
	Lines    []Line
}

// Line is one answer: a figure between words, "uplink: non-drop rate 2.31 Mpps, 27.47 Gbit/s".
type Line struct {
	Of     string // what it is the answer for: "uplink"
	Lead   string // before the figure
	Figure string // with its unit
	Text   string // after it
}

// String is the line as a sentence.
func (l Line) String() string { return l.Of + ": " + l.Lead + l.Figure + l.Text }

// Text is the whole answer.
func (c Card) Text(between string) string {
	var lines []string
	for _, l := range c.Lines {
		lines = append(lines, l.String())
	}
	return strings.Join(lines, between)
}

// Kind names the type.
func (Answers) Kind() string { return "answers" }

// In is where it shows up.
func (Answers) In() Format { return 0 }
