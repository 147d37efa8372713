package scenario

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoCheckIsForgotten: each function that reports contradictions is in the list of checks, or is called by one.
func TestNoCheckIsForgotten(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared, used := map[string]bool{}, map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		names := map[*ast.Ident]bool{}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && reports(f) {
				declared[f.Name.Name], names[f.Name] = true, true
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !names[id] {
				used[id.Name] = true
			}
			return true
		})
	}
	if len(declared) < 40 {
		t.Errorf("%d checks only: are they there?", len(declared))
	}
	for name := range declared {
		if !used[name] {
			t.Errorf("%s is not in the list of checks", name)
		}
	}
}

// reports tells whether a function takes a report.
func reports(f *ast.FuncDecl) bool {
	for _, p := range f.Type.Params.List {
		if star, ok := p.Type.(*ast.StarExpr); ok {
			if id, ok := star.X.(*ast.Ident); ok && id.Name == "report" {
				return true
			}
		}
	}
	return false
}
