package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed page.html.tmpl
var layout string

//go:embed style.css
var style []byte

//go:embed search.js
var script []byte

// entry is a section of a page in the index that the search reads.
type entry struct {
	URL   string `json:"u"`
	Title string `json:"t"` // page, then section
	Text  string `json:"x"`
}

// view is what the template shows.
type view struct {
	Title, Root string // Root leads from the page's folder to the site's
	Body        template.HTML
	Tasks, More []link
}

type link struct {
	Title, URL string
	Here       bool
}

// build writes the site and gives the number of its pages.
func build(source, out string) (int, error) {
	pages, err := read(source)
	if err != nil {
		return 0, err
	}
	t, err := template.New("page").Parse(layout)
	if err != nil {
		return 0, err
	}
	var index []entry
	for _, p := range pages {
		body, sections, err := p.render(pages)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.source, err)
		}
		index = append(index, sections...)
		var b bytes.Buffer
		v := view{Title: p.title, Root: p.root(), Body: body}
		v.Tasks, v.More = menu(pages, p)
		if err := t.Execute(&b, v); err != nil {
			return 0, err
		}
		if err := put(out, p.url, b.Bytes()); err != nil {
			return 0, err
		}
	}
	text, err := json.Marshal(index)
	if err != nil {
		return 0, err
	}
	// A script, not data: a page that was opened from the disk may not fetch.
	text = slices.Concat([]byte("const searchIndex = "), text, []byte(";\n"))
	return len(pages), all(
		func() error { return put(out, "index.js", text) },
		func() error { return put(out, "style.css", style) },
		func() error { return put(out, "search.js", script) },
		func() error { return pictures(source, out) },
	)
}

// menu is the list of pages, tasks first, as one page links to them.
func menu(pages []*page, from *page) (tasks, more []link) {
	for _, p := range pages {
		l := link{p.title, from.root() + p.url, p == from}
		if p.task > 0 {
			tasks = append(tasks, l)
		} else if p.url != "index.html" {
			more = append(more, l)
		}
	}
	return tasks, more
}

// pictures copies those of docs.
func pictures(source, out string) error {
	for _, pattern := range []string{"*.png", "*/*.png", "*.svg"} {
		names, err := filepath.Glob(filepath.Join(source, "docs", pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			body, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(filepath.Join(source, "docs"), name)
			if err != nil {
				return err
			}
			if err := put(out, strings.ReplaceAll(rel, string(filepath.Separator), "/"), body); err != nil {
				return err
			}
		}
	}
	return nil
}

func put(out, url string, body []byte) error {
	path := filepath.Join(out, filepath.FromSlash(url))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, body, 0o644)
}

func all(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
