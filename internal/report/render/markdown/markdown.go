// Package markdown writes blocks as a page in GitHub's Markdown. Whatever they hold is
// escaped.
package markdown

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// Write writes a document. It fails only when w does.
func Write(w io.Writer, d block.Document) error {
	var m printer
	m.linef("# %s\n", escape(d.Title))
	var facts []string
	for _, f := range d.Meta {
		facts = append(facts, escape(f.Name)+" "+code(f.Value))
	}
	if len(facts) > 0 {
		m.linef("%s", strings.Join(facts, ", "))
	}
	for _, s := range d.VisibleSections(block.Markdown) {
		m.section(s, 2)
	}
	if _, err := w.Write(m.Bytes()); err != nil {
		return fmt.Errorf("write the Markdown: %w", err)
	}
	return nil
}

type printer struct{ bytes.Buffer }

func (m *printer) linef(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *printer) section(s block.Section, level int) {
	if s.Title != "" {
		m.linef("\n%s %s", strings.Repeat("#", min(level, 6)), escape(s.Title))
	}
	if s.Hint != "" {
		m.linef("\n%s", escape(s.Hint))
	}
	for _, b := range block.Visible(s.Blocks, block.Markdown) {
		m.block(b, level)
	}
}

func (m *printer) block(b block.Block, level int) {
	switch b := b.(type) {
	case block.Section:
		m.section(b, level+1)
	case block.Answers:
		m.answers(b)
	case block.Note:
		m.note(b)
	case block.List:
		m.linef("")
		m.items(b.Items, "")
	case block.Facts:
		t := block.Table{Columns: []block.Column{block.Words("What"), block.Words("Value")}}
		for _, f := range b.List {
			t.Rows = append(t.Rows, block.Row{Cells: block.Cells(f.Name, f.Value)})
		}
		m.table(t, level)
	case block.Code:
		m.fenced(b.Lines)
	case block.Table:
		m.table(b, level)
	case block.Figure:
		for _, t := range b.Tables() {
			t.Title = strings.TrimSpace(b.Title + " " + t.Title)
			m.table(t, level)
		}
	}
}

func (m *printer) note(n block.Note) {
	words := escape(n.Text)
	if n.Label != "" {
		words = "**" + escape(n.Label) + ":** " + words
	}
	if n.URL != "" {
		words += " <" + block.PageURL(n.URL) + ">"
	}
	if n.Tone == block.Warn || n.Tone == block.Bad {
		words = "> " + words
	}
	m.linef("\n%s", words)
}

func (m *printer) items(items []block.Item, indent string) {
	for _, item := range items {
		words := escape(item.Text)
		if item.Label != "" {
			words = "**" + escape(item.Label) + ":** " + words
		}
		m.linef("%s- %s", indent, words)
		m.items(item.Sub, indent+"  ")
	}
}

// fenced writes lines as they are, in a fence that they cannot close.
func (m *printer) fenced(lines []string) {
	fence := "```"
	for strings.Contains(strings.Join(lines, "\n"), fence) {
		fence += "`"
	}
	m.linef("\n%s\n%s\n%s", fence, strings.Join(lines, "\n"), fence)
}
