package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var reference = regexp.MustCompile(`(?:href|src)="([^"#]*)(#[^"]*)?"`)

// Every page is there, and every link between pages leads to a file and a heading.
func TestSite(t *testing.T) {
	out := t.TempDir()
	n, err := build("../../..", out)
	if err != nil || n < 20 {
		t.Fatalf("%d pages, %v", n, err)
	}
	err = filepath.WalkDir(out, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".html") {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range reference.FindAllStringSubmatch(string(body), -1) {
			check(t, name, m[1], m[2])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range taskPages {
		if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(address(page)))); err != nil {
			t.Errorf("the task %s has no page: %v", page, err)
		}
	}
}

// check follows a link of a page. Nothing may be loaded from outside.
func check(t *testing.T, page, to, fragment string) {
	t.Helper()
	if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
		return
	}
	target := page
	if to != "" {
		target = filepath.Join(filepath.Dir(page), filepath.FromSlash(to))
	}
	body, err := os.ReadFile(target)
	if err != nil {
		t.Errorf("%s links to %s, which is not there", filepath.Base(page), to)
		return
	}
	if fragment != "" && strings.HasSuffix(target, ".html") && !strings.Contains(string(body), `id="`+fragment[1:]+`"`) {
		t.Errorf("%s links to %s%s: there is no such heading", filepath.Base(page), to, fragment)
	}
}

func TestNothingFromOutside(t *testing.T) {
	for _, text := range []string{layout, string(style), string(script)} {
		if strings.Contains(text, "://") {
			t.Errorf("the site loads from outside: %q", text[:60])
		}
	}
}

func TestSearchIndex(t *testing.T) {
	out := t.TempDir()
	if _, err := build("../../..", out); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(out, "index.js"))
	if err != nil || !strings.HasPrefix(string(index), "const searchIndex = [") ||
		!strings.Contains(string(index), "tutorial.html#your-own-upf") {
		t.Errorf("the index has no tutorial: %v", err)
	}
}
