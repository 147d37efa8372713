// Package text writes blocks for a terminal, as wide as it is: no colours.
package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/printable"
	"github.com/upflab/upflab/internal/text/wrap"
)

// Width is the widest line where the output is no terminal, in characters.
const Width = 100

// Write writes a document with lines of Width. It fails only when w does.
func Write(w io.Writer, d block.Document) error { return WriteWide(w, d, Width) }

// WriteWide writes a document with lines of so many characters, 40 or more. It fails only when w does.
func WriteWide(w io.Writer, d block.Document, width int) error {
	t := printer{width: width}
	t.head(d)
	for _, s := range d.VisibleSections(block.Text) {
		t.section(s, 0)
	}
	if _, err := w.Write(t.Bytes()); err != nil {
		return fmt.Errorf("write the text: %w", err)
	}
	return nil
}

// printer collects lines, none of which holds a control character.
type printer struct {
	bytes.Buffer
	width int // of a line, in characters
}

func (t *printer) line(s string) {
	t.WriteString(strings.TrimRight(printable.Only(s, -1, ""), " ") + "\n")
}

// say writes a paragraph: the first line after lead, the others below it; nothing where there are no words.
func (t *printer) say(lead, words string) {
	if words = block.Printable(words); strings.TrimSpace(words) == "" {
		return
	}
	indent := strings.Repeat(" ", utf8.RuneCountInString(lead))
	for _, line := range wrap.Lines(words, t.width-len(indent)) {
		t.line(lead + line)
		lead = indent
	}
}

func (t *printer) head(d block.Document) {
	t.say("", d.Title)
	var facts []string
	for _, f := range d.Meta {
		facts = append(facts, f.Name+" "+f.Value)
	}
	t.say("", strings.Join(facts, ", "))
}

func (t *printer) section(s block.Section, depth int) {
	t.line("")
	indent := strings.Repeat("  ", max(0, depth-1))
	if s.Title != "" {
		t.say(indent, s.Title)
	}
	for i, b := range block.Visible(s.Blocks, block.Text) {
		t.block(b, depth, i)
	}
}

func (t *printer) block(b block.Block, depth, at int) {
	switch b := b.(type) {
	case block.Section:
		t.section(b, depth+1)
	case block.Answers:
		t.answers(b)
	case block.Note:
		t.note(b)
	case block.List:
		t.items(b.Items, "- ")
	case block.Facts:
		for _, f := range b.List {
			t.say("  ", f.Name+": "+f.Value)
		}
	case block.Code:
		for _, line := range b.Lines {
			t.say("    | ", line)
		}
	case block.Table:
		if at > 0 {
			t.line("")
		}
		t.table(b)
	case block.Figure:
		for _, one := range b.Tables() {
			one.Title = strings.TrimSpace(b.Title + " " + one.Title)
			t.table(one)
		}
	}
}

func (t *printer) answers(all block.Answers) {
	width := 0
	for _, a := range all {
		width = max(width, utf8.RuneCountInString(block.Printable(a.Name.Text)))
	}
	for _, a := range all {
		words := a.Sentence
		if a.Version != "" {
			words = "(" + a.Version + ") " + words
		}
		name := block.Printable(a.Name.Text)
		if utf8.RuneCountInString(name) > t.width/3 { // a line to itself, or little is left for the words
			t.say("", name)
			name = ""
		}
		if len(a.Cards) > 0 {
			words = a.Version
		}
		if words == "" { // say writes no line without words
			t.say("", name)
		} else {
			t.say(pad(name, min(width, t.width/3), false)+"  ", words)
		}
		t.cards(a.Cards)
		if a.Problem != "" {
			t.say("  ! ", a.State+": "+a.Problem)
		}
	}
}

// cards are the questions at the left, and a line or more of an answer.
func (t *printer) cards(all []block.Card) {
	width := 0
	for _, c := range all {
		width = max(width, utf8.RuneCountInString(c.Question))
	}
	for _, c := range all {
		lead := "  " + pad(c.Question, width, false) + "  "
		for _, line := range c.Lines {
			t.say(lead, line.String())
			lead = strings.Repeat(" ", utf8.RuneCountInString(lead))
		}
	}
}

func (t *printer) note(n block.Note) {
	words := strings.TrimSpace(n.Text + " " + n.URL)
	if n.Label != "" {
		words = n.Label + ": " + words
	}
	lead := ""
	if n.Tone == block.Warn || n.Tone == block.Bad {
		lead = "! "
	}
	t.say(lead, words)
}

func (t *printer) items(items []block.Item, lead string) {
	for _, item := range items {
		words := item.Text
		if item.Label != "" {
			words = item.Label + ": " + words
		}
		t.say(lead, words)
		t.items(item.Sub, "  "+lead)
	}
}

// pad fills to width characters, before the text when right is set.
func pad(s string, width int, right bool) string {
	fill := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
	if right {
		return fill + s
	}
	return s + fill
}
