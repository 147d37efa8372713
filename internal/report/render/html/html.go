// Package html writes blocks as one page with its styles, charts and data in it, which
// fetches nothing. Whatever the blocks hold is escaped.
package html

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/svg"
)

//go:embed assets
var assets embed.FS

// page is what the templates show.
type page struct {
	block.Document
	Frame    Frame
	Parts    []part
	Contents []link // nil: the page is short
	Style    template.CSS
	Script   template.JS
	Marks    template.HTML
}

// Frame is what a server puts around a document.
type Frame struct {
	Nav    []block.Link
	Path   string        // of the page: the one of Nav that it is
	Body   template.HTML // between the title and the sections: forms; it is not escaped
	Script string        // runs after the charts' script
	Nonce  string        // by which a content security policy knows the scripts; "": a page of its own
}

// Write writes a document as a page that stands alone. It fails only when w does.
func Write(w io.Writer, d block.Document) error { return Serve(w, d, Frame{}) }

// Serve writes a document as a page of a server. It fails only when w does.
func Serve(w io.Writer, d block.Document, f Frame) error {
	tmpl, err := templates()
	if err != nil {
		return err
	}
	var t tree
	p := page{Document: d, Frame: f, Marks: svg.Marks, Parts: t.parts(d.Sections, topLevel)}
	if len(t.contents) >= contentsLeast {
		p.Contents = t.contents
	}
	if p.Style, err = style(); err != nil {
		return err
	}
	if p.Script, err = script(); err != nil {
		return err
	}
	if f.Script != "" {
		p.Script += template.JS("(() => {\n\"use strict\";\n" + f.Script + "})();\n")
	}
	var out bytes.Buffer
	if err := tmpl.ExecuteTemplate(&out, "page.tmpl", p); err != nil {
		return fmt.Errorf("write the HTML: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write the HTML: %w", err)
	}
	return nil
}

// Fragment writes blocks as a part of a section of a page that is shown already.
func Fragment(w io.Writer, blocks []block.Block) error {
	tmpl, err := templates()
	if err != nil {
		return err
	}
	if err := tmpl.ExecuteTemplate(w, "body", new(tree).part(block.Section{Blocks: blocks}, topLevel+1, false)); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// templates are read once.
var templates = sync.OnceValues(func() (*template.Template, error) {
	tmpl, err := template.New("page").Funcs(template.FuncMap{"link": block.PageURL, "spans": spans,
		"heading": newHeading, "spark": spark}).ParseFS(assets, "assets/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("read the HTML templates: %w", err)
	}
	return tmpl, nil
})

func spark(s *block.Spark) template.HTML { return template.HTML(svg.Spark(*s)) } // of svg's own making

// span is a part of a text.
type span struct {
	Text string
	Code bool
}

// spans part a text: what stands between two backticks is code.
func spans(text string) (list []span) {
	parts := strings.Split(text, "`")
	if last := len(parts) - 1; last%2 == 1 { // no other one closes it
		parts[last-1] += "`" + parts[last]
		parts = parts[:last]
	}
	for i, part := range parts {
		if part != "" {
			list = append(list, span{part, i%2 == 1})
		}
	}
	return list
}

// script is the page's script in a scope that nothing else reaches into.
func script() (template.JS, error) {
	text, err := assets.ReadFile("assets/page.js")
	if err != nil {
		return "", fmt.Errorf("read the page's script: %w", err)
	}
	return template.JS("(() => {\n\"use strict\";\n" + string(text) + "})();\n"), nil
}

func style() (template.CSS, error) {
	css, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return "", fmt.Errorf("read the style sheet: %w", err)
	}
	return template.CSS(svg.Style + string(css)), nil
}
