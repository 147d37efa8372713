package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// page is a Markdown file.
type page struct {
	source string // from the sources' folder: "docs/duts/eupf.md"
	url    string // from the site's: "duts/eupf.html"
	title  string // its first heading
	task   int    // place among the tasks; 0: it is none
	text   []byte
}

// taskPages are the pages by task, in the order in which a new user needs them.
var taskPages = []string{
	"docs/tutorial.md", "docs/install.md", "docs/ci.md", "docs/real-nics.md", "docs/trex.md", "docs/dut-config.md",
	"docs/add-a-dut.md",
}

// read finds all pages: docs, and the README as the first one.
func read(source string) ([]*page, error) {
	var names []string
	err := filepath.WalkDir(filepath.Join(source, "docs"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".md") {
			rel, _ := filepath.Rel(source, name)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find the pages: %w: are these upflab's sources?", err)
	}
	var pages []*page
	for _, name := range append([]string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}, names...) {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return nil, err
		}
		p := &page{source: name, url: address(name), title: heading(text), text: text, task: slices.Index(taskPages, name) + 1}
		if p.title == "" {
			return nil, fmt.Errorf("%s has no heading", name)
		}
		pages = append(pages, p)
	}
	slices.SortStableFunc(pages, func(a, b *page) int { return order(a) - order(b) })
	return pages, nil
}

// order puts tasks first.
func order(p *page) int {
	if p.task > 0 {
		return p.task
	}
	return len(taskPages) + 1
}

// address is a page's URL: the README of a folder is its index. The site's index is the README of the
// repository, so that of docs has another name.
func address(source string) string {
	if source == "docs/README.md" {
		return "docs.html"
	}
	url := strings.TrimPrefix(source, "docs/")
	if path.Base(url) == "README.md" {
		return path.Join(path.Dir(url), "index.html")
	}
	return strings.TrimSuffix(url, ".md") + ".html"
}

var first = regexp.MustCompile(`(?m)^# (.+)$`)

func heading(text []byte) string {
	m := first.FindSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(string(m[1]), "`", "")
}

// root leads from the page's folder to the site's.
func (p *page) root() string { return strings.Repeat("../", strings.Count(p.url, "/")) }
