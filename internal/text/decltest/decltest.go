// Package decltest lets a test go over what a package declares, so that a name that is added to a type and
// forgotten in a table fails it.
package decltest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Constants are the constants of a string type, by their names, that the Go files in a folder declare by
// literals. A type without any fails the test.
func Constants(t testing.TB, dir, typeName string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool { return declared(n, typeName, found) })
	}
	if len(found) == 0 {
		t.Fatalf("%s declares no constants of type %s", dir, typeName)
	}
	return found
}

// declared adds the constants of a type that a node declares.
func declared(n ast.Node, typeName string, found map[string]string) bool {
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
}
