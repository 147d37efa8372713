package cli

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestGroupsAreApart: no group of commands imports another one. What several need is in a package that has no command.
func TestGroupsAreApart(t *testing.T) {
	groups := []string{"measure", "read", "setup", "prove", "fleet", "upf"}
	folders, err := filepath.Glob("*/*.go")
	if err != nil || len(folders) < 50 {
		t.Fatalf("%d files, %v", len(folders), err)
	}
	for _, path := range folders {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range file.Imports {
			name, _ := strconv.Unquote(imported.Path.Value)
			if group, below := strings.CutPrefix(name, "github.com/upflab/upflab/internal/cli/"); below && slices.Contains(groups, group) {
				t.Errorf("%s imports %s, which has commands", path, group)
			}
		}
	}
}
