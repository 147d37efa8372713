package docs

import (
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// TestNamesMeetOnce: no file imports two of our packages with one name, so that a name in a file is one thing.
func TestNamesMeetOnce(t *testing.T) {
	files := 0
	eachFile(t, func(name string) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		files++
		seen := map[string]string{}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if !strings.HasPrefix(imported, "github.com/upflab/upflab/") {
				continue
			}
			if other := seen[path.Base(imported)]; other != "" {
				t.Errorf("%s imports %s and %s: rename one of them", name, other, imported)
			}
			seen[path.Base(imported)] = imported
		}
	})
	if files < 1000 {
		t.Errorf("%d files were looked at: is the module there?", files)
	}
}
