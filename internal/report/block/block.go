// Package block is what reports are made of before they have a format: sections
// with tables, figures and notes. Sections of a report (internal/report/sections) make
// blocks from records; renderers (internal/report/render) walk blocks. Neither knows the
// other, and nothing here knows what a UPF is.
package block

// Format is a set of formats; the zero value is all of them.
type Format uint8

// The formats that reports have.
const (
	Text     Format = 1 << iota // a terminal of 100 characters
	Markdown                    // a page for a change request or a wiki
	HTML                        // one file for a browser

	Pages = Markdown | HTML // those with room for all
)

// Has reports whether something that is in f shows up in the format want.
func (f Format) Has(want Format) bool { return f == 0 || f&want != 0 }

// Tone is what a text means to the reader; a renderer chooses how that looks.
type Tone string

// The tones.
const (
	Plain Tone = ""
	Good  Tone = "good" // nothing is wrong
	Own   Tone = "own"  // the number is the device's own
	Warn  Tone = "warn" // to be read with care
	Bad   Tone = "bad"  // not valid, failed
	Muted Tone = "muted"
)

// Block is one piece of a report: Section, Note, List, Facts, Table, Figure, Code
// or Answers.
type Block interface {
	// Kind names the type, for templates.
	Kind() string
	// In is the set of formats in which it shows up.
	In() Format
}

// Document is a whole report.
type Document struct {
	Title    string
	Meta     []Fact // under the title: which scenario, which run, which machine
	Maker    string // what wrote it: "upflab 0.1.0"
	Sections []Section
}

// Section is a headed group of blocks.
type Section struct {
	Title  string // "": no heading
	Hint   string // one or two sentences under the title: how to read what follows
	Fold   bool   // closed until the reader opens it, where a format can do that
	Only   Format
	Blocks []Block
}

// Note is a paragraph.
type Note struct {
	Tone  Tone
	Label string // in bold before the text: "Not valid"
	Text  string
	URL   string // behind the text
	Only  Format
}

// List is a list of items.
type List struct {
	Items []Item
	Only  Format
}

// Item is one entry of a list, with entries below it.
type Item struct {
	Label string
	Text  string
	Sub   []Item
}

// Fact is a named value.
type Fact struct{ Name, Value string }

// Facts is a list of named values.
type Facts struct {
	List []Fact
	Only Format
}

// Code is lines shown as they are.
type Code struct {
	Lines []string
	Only  Format
}

// Kind names the type.
func (Section) Kind() string { return "section" }

// In is where it shows up.
func (s Section) In() Format { return s.Only }

// Kind names the type.
func (Note) Kind() string { return "note" }

// In is where it shows up.
func (n Note) In() Format { return n.Only }

// Kind names the type.
func (List) Kind() string { return "list" }

// In is where it shows up.
func (l List) In() Format { return l.Only }

// Kind names the type.
func (Facts) Kind() string { return "facts" }

// In is where it shows up.
func (f Facts) In() Format { return f.Only }

// Kind names the type.
func (Code) Kind() string { return "code" }

// In is where it shows up.
func (c Code) In() Format { return c.Only }

// Texts makes plain items.
func Texts(lines []string) (items []Item) {
	for _, line := range lines {
		items = append(items, Item{Text: line})
	}
	return items
}

// Visible keeps the blocks that show up in a format; sections that are empty there
// are left out.
func Visible(blocks []Block, f Format) (shown []Block) {
	for _, b := range blocks {
		s, section := b.(Section)
		if !b.In().Has(f) || section && len(Visible(s.Blocks, f)) == 0 {
			continue
		}
		shown = append(shown, b)
	}
	return shown
}

// Sections are the document's sections that show up in a format.
func (d Document) VisibleSections(f Format) (shown []Section) {
	for _, s := range d.Sections {
		if len(Visible([]Block{s}, f)) > 0 {
			shown = append(shown, s)
		}
	}
	return shown
}
