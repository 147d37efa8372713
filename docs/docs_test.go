// Package docs checks that the documents say what the code does.
package docs

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/upflab/upflab/"

// folders reads the table of architecture.md: the folders in their order.
func folders(t *testing.T) map[string]int {
	t.Helper()
	line := map[string]int{}
	for n, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\| [^`\n]").FindAllStringSubmatch(read(t, "architecture.md"), -1) {
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

// floorsOf reads the second table of architecture.md: the packages inside a big folder, in their order. A folder's own package
// is listed by the last part of its name.
func floorsOf(t *testing.T) map[string]map[string]int {
	t.Helper()
	rooms := map[string]map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\| (`.*`) \\|$").FindAllStringSubmatch(read(t, "architecture.md"), -1) {
		room, floors := row[1], map[string]int{}
		for n, name := range strings.Split(row[2], ", ") {
			if name = strings.Trim(name, "`"); name != path.Base(room) {
				name = room + "/" + name
			} else {
				name = room
			}
			floors[name] = n
		}
		rooms[room] = floors
	}
	if len(rooms) < 5 {
		t.Fatalf("architecture.md lists the packages of %d folders only: is its table there?", len(rooms))
	}
	return rooms
}

// checkFloors holds a package of a big folder to the order in there.
func checkFloors(t *testing.T, room string, floors map[string]int, pkg string, imports []string) {
	t.Helper()
	own := floorOf(floors, pkg)
	if own == "" {
		t.Errorf("%s is not among the packages of %s in architecture.md", pkg, room)
		return
	}
	for _, path := range imports {
		theirs := strings.TrimPrefix(path, module)
		if of := floorOf(floors, theirs); of != "" && floors[of] > floors[own] {
			t.Errorf("%s imports %s, which architecture.md lists after it in %s", pkg, theirs, room)
		}
	}
}

// floorOf is the name of a package in the table, or "". If the table also lists packages below a name, the name covers its
// own package alone.
func floorOf(floors map[string]int, pkg string) string {
	of := folderOf(floors, pkg)
	for name := range floors {
		if of != pkg && strings.HasPrefix(name, of+"/") {
			return ""
		}
	}
	return of
}

// TestImportsGoOneWay: each folder is in the table of architecture.md, and imports only
// what is above it there; likewise each package of a big folder, what is before it there.
func TestImportsGoOneWay(t *testing.T) {
	line, rooms := folders(t), floorsOf(t)
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
		pkg := strings.TrimPrefix(p.ImportPath, module)
		checkImports(t, line, pkg, p.Imports)
		if room := folderOf(line, pkg); rooms[room] != nil {
			checkFloors(t, room, rooms[room], pkg, p.Imports)
		}
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
