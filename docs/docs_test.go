// Package docs checks that the documents say what the code does.
package docs

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/upflab/upflab/"

// folders reads the table of architecture.md: the folders in their order.
func folders(t *testing.T) map[string]int {
	t.Helper()
	line := map[string]int{}
	for n, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\|").FindAllStringSubmatch(read(t, "architecture.md"), -1) {
		line[row[1]] = n
	}
	if len(line) < 15 {
		t.Fatalf("architecture.md lists %d folders only: is its table there?", len(line))
	}
	return line
}

// folderOf is the folder of the table that a package belongs to; "" when none does.
func folderOf(line map[string]int, pkg string) string {
	for pkg != "" {
		if _, listed := line[pkg]; listed {
			return pkg
		}
		at := strings.LastIndex(pkg, "/")
		pkg = pkg[:max(at, 0)]
	}
	return ""
}

// TestImportsGoOneWay: each folder is in the table of architecture.md, and imports only
// what is above it there.
func TestImportsGoOneWay(t *testing.T) {
	line := folders(t)
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatalf("list the packages: %v", err)
	}
	for list := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		checkImports(t, line, strings.TrimPrefix(p.ImportPath, module), p.Imports)
	}
}

func checkImports(t *testing.T, line map[string]int, pkg string, imports []string) {
	t.Helper()
	own := folderOf(line, pkg)
	if own == "" && pkg != "docs" {
		t.Errorf("%s is not in the table of architecture.md", pkg)
	}
	for _, path := range imports {
		theirs, ours := strings.CutPrefix(path, module)
		if !ours {
			continue
		}
		if of := folderOf(line, theirs); line[of] > line[own] {
			t.Errorf("%s imports %s, which architecture.md lists below it", pkg, theirs)
		}
	}
}
