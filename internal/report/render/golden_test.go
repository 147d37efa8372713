package render_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/render/markdown"
	"github.com/upflab/upflab/internal/report/render/text"
	"github.com/upflab/upflab/internal/report/sections"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	pages  = flag.String("pages", "", "folder to write the HTML pages to, for a look")
)

type renderer func(io.Writer, block.Document) error

// formats by the ending of their files.
func formats() map[string]renderer {
	return map[string]renderer{"txt": text.Write, "md": markdown.Write, "html": html.Write}
}

// TestGolden is each result in each format.
func TestGolden(t *testing.T) {
	for name, r := range variants(t) {
		for ending, write := range formats() {
			t.Run(name+"."+ending, func(t *testing.T) { golden(t, name+"."+ending, render(t, write, r)) })
		}
	}
}

func TestPublishedGolden(t *testing.T) {
	all, err := published.Studies()
	if err != nil {
		t.Fatal(err)
	}
	d, err := sections.Report(studied(t), sections.Options{Published: all})
	if err != nil {
		t.Fatal(err)
	}
	for ending, write := range formats() {
		golden(t, "published."+ending, rendered(t, write, d))
	}
}

// studied is the sample as if its first UPF were Open5GS, at the studies' load.
func studied(t testing.TB) *record.Result {
	r := sample(t)
	r.DUTs[0].Name, r.DUTs[0].Mode, r.DUTs[0].Version = "open5gs", "tun", "v2.8.0"
	return r
}

// Without studies nothing of them is in a report.
func TestNothingPublished(t *testing.T) {
	for ending, write := range formats() {
		if got := string(render(t, write, studied(t))); strings.Contains(got, "Published figures") || strings.Contains(got, "Ishida") {
			t.Errorf("%s: published figures in a report that was not asked for them", ending)
		}
	}
}

// fits checks that a text fits a terminal of so many columns.
func fits(t *testing.T, name string, out []byte, columns int) {
	t.Helper()
	for _, line := range strings.Split(string(out), "\n") {
		if n := utf8.RuneCountInString(line); n > columns {
			t.Errorf("%s: %d characters: %q", name, n, line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%s: control character in %q", name, line)
		}
	}
}

func TestTextFitsATerminal(t *testing.T) {
	for _, columns := range []int{40, 63, text.Width} {
		write := func(w io.Writer, d block.Document) error { return text.WriteWide(w, d, columns) }
		for name, r := range variants(t) {
			fits(t, name, render(t, write, r), columns)
		}
		fits(t, "hostile", render(t, write, hostile(t)), columns)
	}
}

// TestTextOfLongNames gives names that are longer than a line.
func TestTextOfLongNames(t *testing.T) {
	r := sample(t)
	for i := range r.DUTs {
		r.DUTs[i].Name += strings.Repeat("a", 300)
		r.DUTs[i].Version = strings.Repeat("b", 300)
	}
	fits(t, "long names", render(t, text.Write, r), text.Width)
}

func render(t testing.TB, write renderer, r *record.Result) []byte {
	t.Helper()
	d, err := sections.Report(r, sections.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rendered(t, write, d)
}

func rendered(t testing.TB, write renderer, d block.Document) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out, d); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if strings.HasSuffix(name, ".html") {
		keep(t, name, got)
		got = withoutAssets(t, got)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run go test -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; look at the change, then run go test -update\n%s", path, firstDifference(want, got))
	}
}

func firstDifference(want, got []byte) string {
	wanted, found := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	for i := range min(len(wanted), len(found)) {
		if !bytes.Equal(wanted[i], found[i]) {
			return "want " + string(wanted[i]) + "\ngot  " + string(found[i])
		}
	}
	return "one is longer than the other"
}

// withoutAssets leaves the style sheet and the script out, which are no part of what a
// result becomes.
func withoutAssets(t *testing.T, out []byte) []byte {
	for _, tag := range []string{"style", "script"} {
		from := bytes.LastIndex(out, []byte("<"+tag+">"))
		to := bytes.LastIndex(out, []byte("</"+tag+">"))
		if from < 0 || to < from {
			t.Fatalf("the page has no %s", tag)
		}
		out = bytes.Join([][]byte{out[:from+len(tag)+2], out[to:]}, []byte("("+tag+")"))
	}
	return out
}

// keep writes a whole page for a browser when -pages names a folder.
func keep(t *testing.T, name string, out []byte) {
	if *pages == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*pages, name), out, 0o644); err != nil {
		t.Fatal(err)
	}
}
