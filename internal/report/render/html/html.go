// Package html writes blocks as one page with its styles, charts and data in it, which
// fetches nothing. Whatever the blocks hold is escaped.
package html

import (
	"bytes"
	"embed"
	"fmt"
	"io"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/svg"
	"github.com/upflab/upflab/internal/text/fill"
)

//go:embed assets
var assets embed.FS

// page is what the templates show.
type page struct {
	block.Document
	Frame  Frame
	Style  fill.Raw
	Script fill.Raw
	Marks  fill.Raw
}

// Frame is what a server puts around a document.
type Frame struct {
	Nav    []Link
	Path   string   // of the page: the one of Nav that it is
	Body   fill.Raw // between the title and the sections: forms
	Script string   // runs after the charts' script
	Nonce  string   // by which a content security policy knows the scripts; "": a page of its own
}

// Link is a link of the same server.
type Link struct{ Text, URL string }

// Write writes a document as a page that stands alone. It fails only when w does.
func Write(w io.Writer, d block.Document) error { return Serve(w, d, Frame{}) }

// Serve writes a document as a page of a server. It fails only when w does.
func Serve(w io.Writer, d block.Document, f Frame) error {
	tmpl, err := pageTemplate()
	if err != nil {
		return fmt.Errorf("read the HTML templates: %w", err)
	}
	p := page{Document: d, Frame: f, Marks: svg.Marks}
	if p.Style, err = style(); err != nil {
		return err
	}
	if p.Script, err = script(); err != nil {
		return err
	}
	if f.Script != "" {
		p.Script += fill.Raw("(() => {\n\"use strict\";\n" + f.Script + "})();\n")
	}
	var out bytes.Buffer
	if err := tmpl.Execute(&out, p); err != nil {
		return fmt.Errorf("write the HTML: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write the HTML: %w", err)
	}
	return nil
}

// pageTemplate reads the templates and gives them what they call.
func pageTemplate() (*fill.Template, error) {
	text, err := assets.ReadFile("assets/page.tmpl")
	if err != nil {
		return nil, err
	}
	t, err := fill.HTML("page.tmpl", string(text), fill.Funcs{
		"visible": of(func(blocks []block.Block) any { return block.Visible(blocks, block.HTML) }),
		"kind":    of(func(b block.Block) any { return b.Kind() }),
		"layout":  of(func(t block.Table) any { return layOut(t) }),
		"link":    of(func(url string) any { return block.PageURL(url) }),
		"chart":   of(func(f block.Figure) any { return chart(f) }),
		"width":   of(func(b *block.Bar) any { return b.Width() }),
	})
	for _, name := range []string{"blocks.tmpl", "answers.tmpl"} {
		if err == nil {
			text, err = assets.ReadFile("assets/" + name)
		}
		if err == nil {
			err = t.Add(name, string(text))
		}
	}
	return t, err
}

// of makes a function of one argument one that templates call.
func of[T any](f func(T) any) fill.Func {
	return func(args ...any) (any, error) {
		if len(args) == 1 {
			if v, ok := args[0].(T); ok {
				return f(v), nil
			}
		}
		return nil, fmt.Errorf("does not take %v", args)
	}
}

// script is the page's script in a scope that nothing else reaches into.
func script() (fill.Raw, error) {
	text, err := assets.ReadFile("assets/page.js")
	if err != nil {
		return "", fmt.Errorf("read the page's script: %w", err)
	}
	return fill.Raw("(() => {\n\"use strict\";\n" + string(text) + "})();\n"), nil
}

func style() (fill.Raw, error) {
	css, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return "", fmt.Errorf("read the style sheet: %w", err)
	}
	return fill.Raw(svg.Style + string(css)), nil
}

// layout is a table with the rows that each cell reaches over.
type layout struct {
	block.Table
	Lines []line
}

type line struct {
	Tone  block.Tone
	First bool // of a group of merged rows
	Cells []cell
}

type cell struct {
	block.Cell
	Class string
	Rows  int // that it reaches over; 0: its own
}

// layOut leaves out cells that a cell above reaches over.
func layOut(t block.Table) layout {
	l := layout{Table: t.For(block.HTML)}
	spans := l.Spans()
	for i, r := range l.Rows {
		one := line{Tone: r.Tone, First: i > 0}
		for j, c := range r.Cells {
			if spans[i][j] == 0 {
				one.First = false
				continue
			}
			of := cell{Cell: c, Class: class(l.Columns[j])}
			if spans[i][j] > 1 {
				of.Rows = spans[i][j]
			}
			one.Cells = append(one.Cells, of)
		}
		one.First = one.First && len(l.Columns) > 0 && l.Columns[0].Merge
		l.Lines = append(l.Lines, one)
	}
	return l
}

// class is that of the cells of a column: set left, or with breaks in the text.
func class(c block.Column) string {
	name := ""
	if c.Left {
		name = "l"
	}
	if c.Wrap {
		name += " why"
	}
	return name
}
