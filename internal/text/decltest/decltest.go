// Package decltest lets a test go over what a package declares, so that a name that is added to a type and
// forgotten in a table fails it.
package decltest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strconv"
	"strings"
	"testing"
)

// Constants are the constants of a string type, by their names, that the Go files in a folder declare by
// literals. A type without any fails the test.
func Constants(t testing.TB, dir, typeName string) map[string]string {
	t.Helper()
	noTests := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), dir, noTests, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range packages {
		ast.Inspect(p, func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			if !is {
				return true
			}
			if id, is := spec.Type.(*ast.Ident); is && id.Name == typeName {
				for i, name := range spec.Names {
					if text, is := spec.Values[i].(*ast.BasicLit); is {
						found[name.Name], _ = strconv.Unquote(text.Value)
					}
				}
			}
			return true
		})
	}
	if len(found) == 0 {
		t.Fatalf("%s declares no constants of type %s", dir, typeName)
	}
	return found
}
