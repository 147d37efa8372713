package pfcp

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPartsImportOneWay: the comment of the package lists its parts, and each imports only those above it.
func TestPartsImportOneWay(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, m := range regexp.MustCompile(`(?m)^//\t([a-z]+) `).FindAllStringSubmatch(string(doc), -1) {
		parts = append(parts, m[1])
	}
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, f := range files {
		own := slices.Index(parts, filepath.Dir(f))
		if own < 0 {
			t.Errorf("%s is of a part that doc.go does not list", f)
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range tree.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if part, ours := strings.CutPrefix(path, "github.com/upflab/upflab/upf/pfcp/"); ours && slices.Index(parts, part) >= own {
				t.Errorf("%s imports %s, which doc.go lists after it", f, part)
			} else if path == "github.com/upflab/upflab/upf/pfcp" {
				t.Errorf("%s imports the server", f)
			}
		}
	}
}
