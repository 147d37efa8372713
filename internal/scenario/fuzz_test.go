package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
	"github.com/upflab/upflab/internal/text/fuzztest"
)

// FuzzRead holds that no text brings Read down, that every refusal has a
// place, and that what is taken survives Effective.
func FuzzRead(f *testing.F) {
	fuzztest.Brief(f)
	for _, pattern := range []string{"catalog/*.yaml", "testdata/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Read(data, "fuzz.yaml")
		if err != nil {
			wantPlaces(t, err)
			return
		}
		wantReadBack(t, s)
	})
}

func wantReadBack(t *testing.T, s *Scenario) {
	t.Helper()
	text, err := Effective(s)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Read([]byte(text), "effective.yaml")
	if err != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("%v\n%s\ngot  %+v\nwant %+v", err, text, back, s)
	}
}

func wantPlaces(t *testing.T, err error) {
	t.Helper()
	var all *document.Error
	if !errors.As(err, &all) || len(all.Problems) == 0 {
		t.Fatalf("not an *Error with problems: %v", err)
	}
	for _, p := range all.Problems {
		if p.Line < 1 || p.Column < 1 || p.File == "" || !strings.Contains(p.Excerpt, "^") {
			t.Errorf("a problem without a place: %+v", p)
		}
	}
}

// FuzzSet holds the same of --set.
func FuzzSet(f *testing.F) {
	fuzztest.Brief(f)
	for _, key := range schema.Keys() {
		f.Add(key.Path + "=" + key.Example)
	}
	for _, text := range []string{"? x", "a\tb", "- x", "#x", "a: b", "'", `"\n`, "|-\n  x\n\n", "\ta\n b", "~",
		"0x1", "&a *a", "2026-11-21", "{}", "\u2028"} {
		f.Add("title=" + text)
		f.Add("description=a\n" + text)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		s, err := Open("load-latency", []string{arg}, false)
		if err != nil {
			wantPlaces(t, err)
			return
		}
		wantReadBack(t, s)
	})
}

// TestDeepNesting holds that brackets do not exhaust the parser's stack.
func TestDeepNesting(t *testing.T) {
	for _, open := range []string{"[", "{", "{a: ", "- ", "? ", "[a: "} {
		start := time.Now()
		if _, err := Read([]byte(strings.Repeat(open, document.MaxBytes/len(open))), "deep.yaml"); err == nil {
			t.Errorf("%q over and over is taken for a scenario", open)
		}
		if took := time.Since(start); took > 10*time.Second { // 7 s for "[" alone, before depth was checked first
			t.Errorf("%q over and over takes %s", open, took)
		}
	}
	if _, err := Read(make([]byte, document.MaxBytes+1), "big.yaml"); err == nil || !strings.Contains(err.Error(), "right file") {
		t.Errorf("a large file: %v", err)
	}
}
