package docs

import (
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bounds of what a reader has to keep in mind at once.
const (
	mostMethods = 30   // of a type
	mostLines   = 4000 // of a package, without its tests
)

// TestPartsAreSmall: no type has over 30 methods, and no package over 4000 lines without its tests.
func TestPartsAreSmall(t *testing.T) {
	methods, lines := sizes(t)
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if n := methods[name]; n > mostMethods {
			t.Errorf("%s has %d methods: %d are the most", name, n, mostMethods)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if n := lines[name]; n > mostLines {
			t.Errorf("%s has %d lines: %d are the most", name, n, mostLines)
		}
	}
	if len(methods) < 300 || len(lines) < 100 {
		t.Errorf("%d types and %d packages were looked at: is the module there?", len(methods), len(lines))
	}
}

// sizes counts the methods of each type, and the lines of each package.
func sizes(t *testing.T) (methods, lines map[string]int) {
	t.Helper()
	methods, lines = map[string]int{}, map[string]int{}
	eachGoFile(t, func(path string, n int, file *ast.File) {
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
		lines[pkg] += n
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[pkg+"."+receiverOf(f)]++
			}
		}
	})
	return methods, lines
}

// receiverOf is the name of a method's type.
func receiverOf(f *ast.FuncDecl) string {
	typ := f.Recv.List[0].Type
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = p.X
	}
	switch generic := typ.(type) {
	case *ast.IndexExpr:
		typ = generic.X
	case *ast.IndexListExpr:
		typ = generic.X
	}
	return typ.(*ast.Ident).Name
}
