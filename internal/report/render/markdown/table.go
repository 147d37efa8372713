package markdown

import (
	"slices"
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

// answers are a sentence each, then their figures as a table.
func (m *printer) answers(all block.Answers) {
	m.linef("")
	var names []string
	for _, a := range all {
		if len(a.Cards) == 0 {
			m.linef("- **%s**%s: %s", escape(a.Name.Text), version(a), escape(a.Sentence))
		} else {
			m.linef("- **%s**%s", escape(a.Name.Text), version(a))
		}
		for _, c := range a.Cards {
			m.linef("  - **%s:** %s", escape(c.Question), escape(strings.Join(c.Lines, "; ")))
		}
		if a.Problem != "" {
			m.linef("  - **%s:** %s", escape(a.State), escape(a.Problem))
		}
		for _, t := range a.Tiles {
			for _, f := range t.Facts {
				if name := head(f.Name, f.Unit); !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	rows := tileRows(all, names)
	if len(rows) == 0 {
		return
	}
	heads := append([]string{"", "", "", "", "What that is"}, names...)
	m.linef("\n| %s |\n|%s", strings.Join(heads, " | "), strings.Repeat(" --- |", len(heads)))
	for _, r := range rows {
		m.linef("| %s |", strings.Join(r, " | "))
	}
}

func version(a block.Answer) string {
	if a.Version == "" {
		return ""
	}
	return " (" + escape(a.Version) + ")"
}

func tileRows(all block.Answers, names []string) (rows [][]string) {
	for _, a := range all {
		for _, t := range a.Tiles {
			what := strings.Join(t.Notes, "; ")
			if t.What != "" {
				what = t.What + ", " + what
			}
			row := []string{escape(a.Name.Text), escape(t.Title), quantity(t.Big), quantity(t.Second), escape(what)}
			for _, name := range names {
				row = append(row, fact(t, name))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func quantity(q block.Quantity) string { return escape(q.Text + " " + q.Unit) }

func fact(t block.Tile, name string) string {
	for _, f := range t.Facts {
		if head(f.Name, f.Unit) == name {
			return cell(block.Cell{Text: f.Text, Range: f.Range})
		}
	}
	return "–"
}
