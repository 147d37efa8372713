package docs

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inC finds the C name of a Go constant in its comment, and the C file.
var inC = regexp.MustCompile(`\b(1 << )?([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]|[A-Z]{4,}) of ([a-z0-9_./]+\.(?:h|c))\b`)

// TestConstantsAreThoseOfC: a constant whose comment says that it is NAME of a BPF program's file has the value that NAME
// has there, and what C says is the same as a Go constant has such a comment.
func TestConstantsAreThoseOfC(t *testing.T) {
	sources := bpfSources(t)
	compared := 0
	eachGoFile(t, func(path string, _ int, file *ast.File) {
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, s := range group.Specs {
				spec := s.(*ast.ValueSpec)
				comment := spec.Doc.Text() + spec.Comment.Text()
				if len(group.Specs) == 1 {
					comment += group.Doc.Text()
				}
				m := inC.FindStringSubmatch(strings.ReplaceAll(comment, "\n", " "))
				if m == nil || strings.HasPrefix(m[3], "linux/") || len(spec.Values) != 1 {
					continue
				}
				compared++
				text, found := definition(sources, filepath.Dir(path), m[3], m[2])
				want, got := literal(m[1]+"("+text+")"), literal(types.ExprString(spec.Values[0]))
				switch {
				case !found:
					t.Errorf("%s: %s has no %s that %s could be", path, m[3], m[2], spec.Names[0].Name)
				case got.Kind() == constant.Unknown:
					t.Errorf("%s: %s is no number that this test can compute", path, spec.Names[0].Name)
				case !constant.Compare(want, token.EQL, got):
					t.Errorf("%s: %s is %v, and %s of %s %v", path, spec.Names[0].Name, got, m[2], m[3], want)
				}
			}
		}
	})
	if compared < 12 {
		t.Errorf("%d constants were compared: are their comments there?", compared)
	}
}

// literal is the value of an expression of numbers.
func literal(text string) constant.Value {
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil || v.Value == nil {
		return constant.MakeUnknown()
	}
	return v.Value
}

// bpfSources are the C files of the tree.
func bpfSources(t *testing.T) (list []string) {
	t.Helper()
	eachFile(t, func(path string) {
		if strings.HasSuffix(path, ".c") || strings.HasSuffix(path, ".h") {
			list = append(list, filepath.ToSlash(path))
		}
	})
	return list
}

// definition is the value of a C name. Of several files with one name it takes the nearest to a folder.
func definition(sources []string, dir, file, name string) (text string, found bool) {
	near := -1
	var best string
	for _, path := range sources {
		if path != file && !strings.HasSuffix(path, "/"+file) {
			continue
		}
		if n := len(common(path, filepath.ToSlash(dir))); n > near {
			near, best = n, path
		}
	}
	b, err := os.ReadFile(best)
	if err != nil {
		return "", false
	}
	m := regexp.MustCompile(`(?m)(?:^#define ` + name + `\s+|^\s*` + name + ` = )([^/,\n]+)`).FindStringSubmatch(string(b))
	if m == nil {
		return "", false
	}
	return regexp.MustCompile(`\b([0-9]+|0x[0-9a-fA-F]+)[uUlL]+\b`).ReplaceAllString(strings.TrimSpace(m[1]), "$1"), true
}

// common is how two paths begin alike.
func common(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

func eachFile(t *testing.T, f func(path string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case !d.IsDir():
			f(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// eachGoFile parses the Go files of the tree that are neither tests nor generated, of so many lines.
func eachGoFile(t *testing.T, f func(path string, lines int, file *ast.File)) {
	t.Helper()
	eachFile(t, func(path string) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if !ast.IsGenerated(file) {
			f(path, set.File(file.Pos()).LineCount()-1, file)
		}
	})
}
