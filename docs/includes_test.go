package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	quoted = regexp.MustCompile(`^#include "([^"]+)"`)
	ofCode = regexp.MustCompile(`^(static|struct|enum|typedef|volatile|const|__noinline|_Static_assert)\b`)
)

// cSources returns the C sources of the tree, each with the files that it includes by name.
func cSources(t *testing.T) map[string][]string {
	t.Helper()
	includes := map[string][]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".h" && filepath.Ext(path) != ".c" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		includes[path] = includesOf(t, path, string(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return includes
}

// includesOf returns what a C source includes by name. A header that includes another one below its
// own code lends that code to it: the other needs its includer, and does not say so.
func includesOf(t *testing.T, path, text string) (found []string) {
	t.Helper()
	code := false
	for n, line := range strings.Split(text, "\n") {
		if m := quoted.FindStringSubmatch(line); m != nil {
			found = append(found, m[1])
			if code && filepath.Ext(path) == ".h" {
				t.Errorf("%s:%d includes %s below code: move the code that it needs into a header that both include", path, n+1, m[1])
			}
		}
		code = code || ofCode.MatchString(line)
	}
	return found
}

// TestIncludesGoOneWay: no C source includes itself by way of others.
func TestIncludesGoOneWay(t *testing.T) {
	includes := cSources(t)
	if len(includes) < 40 {
		t.Fatalf("only %d C sources found", len(includes))
	}
	resolve := func(from, name string) string {
		for _, dir := range []string{filepath.Dir(from), "../internal/proto/bpf", "../internal/proto"} {
			if path := filepath.Join(dir, name); includes[path] != nil || exists(path) {
				return path
			}
		}
		t.Errorf("%s includes %s, which is not found", from, name)
		return ""
	}
	done := map[string]bool{}
	var visit func(path string, above []string)
	visit = func(path string, above []string) {
		if slices.Contains(above, path) {
			t.Fatalf("a loop of includes: %s", strings.Join(append(above, path), " -> "))
		}
		if done[path] {
			return
		}
		for _, name := range includes[path] {
			if next := resolve(path, name); next != "" {
				visit(next, append(slices.Clone(above), path))
			}
		}
		done[path] = true
	}
	for path := range includes {
		visit(path, nil)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
