package search

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/upflab/upflab/internal/analysis/reason"
	"github.com/upflab/upflab/internal/record"
)

// TestCodesAreExplained: each code that a search may give is in the table that reports and `upflab
// explain` read. The codes are those that the source declares, so that none is forgotten here.
func TestCodesAreExplained(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "reason.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := []string{record.ReasonCoarse} // declared there
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := v.Type.(*ast.Ident); !ok || id.Name != "Code" {
			return true
		}
		if text, ok := v.Values[0].(*ast.BasicLit); ok {
			code, _ := strconv.Unquote(text.Value)
			codes = append(codes, code)
		}
		return true
	})
	if len(codes) < 15 {
		t.Fatalf("only %d codes were found: %v", len(codes), codes)
	}
	for _, code := range codes {
		if r, known := reason.Of(code); !known || r.Kind == reason.LimitedBy {
			t.Errorf("%s: %+v", code, r)
		}
	}
}
