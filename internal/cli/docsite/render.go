package main

import (
	"bytes"
	"html/template"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// upstream is where links to files that are no pages lead.
const upstream = "https://github.com/upflab/upflab/blob/main/"

// render gives the page's body and its sections for the search.
func (p *page) render(pages []*page) (template.HTML, []entry, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(html.WithUnsafe())) // the documents are our own
	tree := md.Parser().Parse(text.NewReader(p.text))
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, is := n.(*ast.Link); is && entering {
			l.Destination = []byte(p.resolve(string(l.Destination), pages))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, p.text, tree); err != nil {
		return "", nil, err
	}
	body := b.String()
	if p.url == "index.html" { // pictures are named from the sources' folder there
		body = strings.ReplaceAll(body, `="docs/`, `="`)
	}
	return template.HTML(body), p.sections(tree), nil
}

// resolve turns a link between documents into one between pages.
func (p *page) resolve(to string, pages []*page) string {
	if to == "" || strings.Contains(to, "://") || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "mailto:") {
		return to
	}
	file, fragment, has := strings.Cut(to, "#")
	target := path.Join(path.Dir(p.source), file)
	if has {
		fragment = "#" + fragment
	}
	for _, other := range pages {
		if other.source == target {
			return p.root() + other.url + fragment
		}
	}
	if strings.HasSuffix(target, ".png") || strings.HasSuffix(target, ".svg") {
		return p.root() + strings.TrimPrefix(target, "docs/")
	}
	return upstream + target + fragment
}

// sections cuts the page at its headings.
func (p *page) sections(tree ast.Node) (list []entry) {
	at := entry{URL: p.url, Title: p.title}
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, is := n.(*ast.Heading); is && h.Level > 1 {
			list = append(list, at)
			id, _ := h.AttributeString("id")
			name, _ := id.([]byte)
			at = entry{URL: p.url + "#" + string(name), Title: p.title + " › " + plain(h, p.text)}
			continue
		}
		at.Text += plain(n, p.text) + " "
	}
	return append(list, at)
}

// plain is a node's words.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			b.WriteByte(' ')
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				s := n.Lines().At(i)
				b.Write(s.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
