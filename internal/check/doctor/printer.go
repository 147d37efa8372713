package doctor

import (
	"fmt"
	"io"
	"strings"
)

// Printer writes findings as lines for people, each group under its name.
type Printer struct {
	w     io.Writer
	group string
}

// NewPrinter makes a printer that writes to w.
func NewPrinter(w io.Writer) *Printer { return &Printer{w: w} }

// Print writes one finding: its state, its name, what there is, and on a line
// below how to better it.
func (p *Printer) Print(f Finding) {
	if f.Group != p.group {
		if p.group != "" {
			fmt.Fprintln(p.w)
		}
		p.group = f.Group
		fmt.Fprintln(p.w, f.Group)
	}
	p.line(string(f.State), f.Name, oneLine(f.Detail))
	if f.Fix != "" && f.State != OK {
		p.line("", "", "fix: "+oneLine(f.Fix))
	}
}

func (p *Printer) line(state, name, text string) {
	line := fmt.Sprintf("  %-8s%-19s %s", state, name, text)
	fmt.Fprintln(p.w, strings.TrimRight(line, " "))
}

// oneLine joins the lines of an error.
func oneLine(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		switch text := b.String(); {
		case line == "" || text == "":
		case strings.HasSuffix(text, ":") || strings.HasSuffix(text, ";"):
			b.WriteByte(' ')
		default:
			b.WriteString("; ")
		}
		b.WriteString(line)
	}
	return b.String()
}
