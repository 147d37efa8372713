package association

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestLockedTable: who reaches the table holds its lock. The methods of table, and of an Association, take no lock; a
// method of the types around it, which see both, takes the lock before it calls one of the table, and calls no other
// method that takes it meanwhile.
func TestLockedTable(t *testing.T) {
	views := map[string]bool{"guarded": true, "Associations": true, "liveness": true, "ownership": true}
	methods := map[string]map[string]*ast.FuncDecl{}
	for _, d := range functions(t) {
		if methods[receiver(d)] == nil {
			methods[receiver(d)] = map[string]*ast.FuncDecl{}
		}
		methods[receiver(d)][d.Name.Name] = d
	}
	locks, checked := map[string]bool{}, 0
	for view := range views {
		for name, d := range methods[view] {
			if locked(d) {
				locks[name] = true
			}
		}
	}
	for name, d := range methods["table"] {
		if locked(d) {
			t.Errorf("table.%s takes a lock: who calls it has it", name)
		}
	}
	for view := range views {
		for name, d := range methods[view] {
			checked++
			own := d.Recv.List[0].Names[0].Name
			held := false
			ast.Inspect(d.Body, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				switch text := selector(s); {
				case text == own+".mu.Lock":
					held = true
				case text == own+".mu.Unlock" && !deferred(d, s):
					held = false
				case text != own+"."+s.Sel.Name:
				case locks[s.Sel.Name] && methods["table"][s.Sel.Name] == nil && held:
					t.Errorf("%s.%s calls %s, which takes the lock that it has", view, name, s.Sel.Name)
				case methods["table"][s.Sel.Name] != nil && !held:
					t.Errorf("%s.%s calls %s without the lock", view, name, s.Sel.Name)
				}
				return true
			})
		}
	}
	if checked < 40 {
		t.Errorf("%d methods were looked at: are the types there?", checked)
	}
}

func functions(t *testing.T) (list []*ast.FuncDecl) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				list = append(list, f)
			}
		}
	}
	return list
}

// receiver is the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	typ := d.Recv.List[0].Type
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = p.X
	}
	return typ.(*ast.Ident).Name
}

// selector is "a.b.c", "" of what is not names alone.
func selector(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if of := selector(e.X); of != "" {
			return of + "." + e.Sel.Name
		}
	}
	return ""
}

// locked reports whether a method takes the lock of its receiver.
func locked(d *ast.FuncDecl) (takes bool) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		takes = takes || ok && strings.HasSuffix(selector(s), ".mu.Lock")
		return true
	})
	return takes
}

// deferred reports whether a call in a method is that of a defer.
func deferred(d *ast.FuncDecl, s *ast.SelectorExpr) (is bool) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		def, ok := n.(*ast.DeferStmt)
		is = is || ok && def.Call.Fun == s
		return true
	})
	return is
}
