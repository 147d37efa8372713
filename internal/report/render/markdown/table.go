package markdown

import (
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

func (m *printer) table(b block.Table, level int) {
	t := b.For(block.Markdown)
	if t.Title != "" {
		m.linef("\n%s %s", strings.Repeat("#", min(level+1, 6)), escape(t.Title))
	}
	heads, rules := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, c := range t.Columns {
		heads[i], rules[i] = head(c.Head, c.Unit), "---:"
		if c.Left {
			rules[i] = "---"
		}
	}
	m.linef("\n| %s |\n| %s |", strings.Join(heads, " | "), strings.Join(rules, " | "))
	for _, r := range t.Rows {
		cells := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			cells[i] = cell(c)
			if r.Tone == block.Muted && c.Color != "" {
				cells[i] = "*" + cells[i] + "*"
			}
		}
		m.linef("| %s |", strings.Join(cells, " | "))
	}
}

func head(name, unit string) string {
	if unit == "" {
		return escape(name)
	}
	return escape(name) + "<br>(" + escape(unit) + ")"
}

func cell(c block.Cell) string {
	text := escape(c.Text)
	if c.Tone == block.Bad {
		text = "**" + text + "**"
	}
	if c.Range != "" {
		text += " (" + escape(c.Range) + ")"
	}
	if c.Note != "" {
		text += "<br>" + escape(c.Note)
	}
	return text
}

// answers are a sentence each, or an item for each question.
func (m *printer) answers(all block.Answers) {
	m.linef("")
	for _, a := range all {
		if len(a.Cards) == 0 {
			m.linef("- **%s**%s: %s", escape(a.Name.Text), version(a), escape(a.Sentence))
		} else {
			m.linef("- **%s**%s", escape(a.Name.Text), version(a))
		}
		for _, c := range a.Cards {
			m.linef("  - **%s:** %s", escape(c.Question), escape(c.Text("; ")))
		}
		if a.Problem != "" {
			m.linef("  - **%s:** %s", escape(a.State), escape(a.Problem))
		}
	}
}

func version(a block.Answer) string {
	if a.Version == "" {
		return ""
	}
	return " (" + escape(a.Version) + ")"
}
