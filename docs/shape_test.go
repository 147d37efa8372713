package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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

// larger are the types and packages beyond the bounds, and why each is.
var larger = map[string]string{
	"cmd/upflab-kubernetes/internal/session.Session": "the steps of one session on a cluster, which share what it created",
	"internal/cli":                       "one file for each command, and no command calls another",
	"internal/lab/smf.Writer":            "one method for each IE that an SMF writes",
	"internal/machine/host.Claim":        "one method for each kind of thing that a run claims on its host",
	"internal/machine/netdev.Namespace":  "one method for each thing that the kernel has in a network namespace",
	"internal/machine/netdev.Port":       "one method for each setting of a network device",
	"internal/measure/behaviour/lab.Lab": "brings a UPF up for cases as trial.Deployment does for trials: to become one",
	"internal/measure/trial":             "everything about one DUT that is up: it goes with Deployment",
	"internal/measure/trial.Deployment":  "a DUT that is up, and all that is measured of it: to be told apart by what each stage opens",
	"internal/record":                    "the facts of a run as types, with what each field means: one line of code in three",
	"internal/scenario":                  "the keys of a scenario, their checks and their defaults, which are one type",
	"internal/scenario.Scenario":         "one method for each question that others ask of a scenario",
	"internal/scenario.checker":          "one method for each group of keys",
	"internal/traffic/xdp.generator":     "loads, fills and reads the maps of one program",
	"upf.UPF":                            "the API of the library",
	"upf.checker":                        "one method for each group of keys",
	"upf/datapath/forward.Table":         "the steps of one lookup, on one table",
	"upf/datapath/xdp":                   "one program, its maps, and what keeps them alike",
	"upf/datapath/xdp.Datapath":          "one datapath.Datapath with its optional parts, on the maps of one program",
}

// TestPartsAreSmall: no type has over 30 methods, and no package over 4000 lines without its tests, but for those that
// are listed with a reason. One that is listed is beyond a bound.
func TestPartsAreSmall(t *testing.T) {
	methods, lines := sizes(t)
	beyond := map[string]int{}
	maps.Copy(beyond, methods)
	maps.DeleteFunc(beyond, func(_ string, n int) bool { return n <= mostMethods })
	for pkg, n := range lines {
		if n > mostLines {
			beyond[pkg] = n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(beyond)) {
		if larger[name] == "" {
			t.Errorf("%s has %d methods or lines: %d methods of a type and %d lines of a package are the most", name, beyond[name],
				mostMethods, mostLines)
		}
	}
	for name := range larger {
		if beyond[name] == 0 {
			t.Errorf("%s is listed as larger than the bounds, and is not", name)
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
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
		lines[pkg] += set.File(file.Pos()).LineCount() - 1
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[pkg+"."+receiverOf(f)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
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
