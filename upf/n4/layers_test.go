package n4

import (
	"go/ast"
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
			if part, ours := strings.CutPrefix(path, "github.com/upflab/upflab/upf/n4/"); ours && slices.Index(parts, part) >= own {
				t.Errorf("%s imports %s, which doc.go lists after it", f, part)
			} else if path == "github.com/upflab/upflab/upf/n4" {
				t.Errorf("%s imports the server", f)
			}
		}
	}
}

// guarded are fields behind the lock of a part. They are exported for the tests of the whole server, which look at them
// while it does nothing.
var guarded = map[string]string{
	"Nodes": "association", "Settings": "association", "Sources": "association", "BySEID": "association",
	"Owner": "keys", "Waiting": "ask", "Transmit": "ask",
}

// TestStateIsReachedByMethods: no part, and not the server, reaches what another part has behind its lock but by that
// one's methods, which take the lock.
func TestStateIsReachedByMethods(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	own, err2 := filepath.Glob("*.go")
	if files = append(files, own...); err != nil || err2 != nil || len(files) < 50 {
		t.Fatal(err, err2, len(files))
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if part := guarded[s.Sel.Name]; part != "" && part != tree.Name.Name && !named(s.X, "procedure") {
					t.Errorf("%v reaches %s of package %s without its lock", set.Position(s.Pos()), s.Sel.Name, part)
				}
			}
			return true
		})
	}
}

// named reports whether an expression is a name alone.
func named(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
