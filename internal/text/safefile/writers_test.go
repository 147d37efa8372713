package safefile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// elsewhere are the folders and files of the sources that write, by the os package, only
// where no other user can: with the reason.
var elsewhere = map[string]string{
	"internal/machine/host":               "/run/upflab, /proc and /sys",
	"internal/machine/netdev":             "/proc, /sys and /etc/netns",
	"internal/lab/site":                   "/proc",
	"internal/machine/vm/inside":          "the system of a guest, before any user is in it",
	"internal/machine/program/prepare.go": "a mount of the program's own",
	"internal/traffic/afpacket":           "/proc",
	"internal/lab/dut/process/pidns.go":   "mount points of the UPF's own",
	"internal/lab/dut/enginetest":         "tests",
	"internal/fleet":                      "folders of the hub, the agent and the client",
	"internal/measure/deploy":             "new files only (O_EXCL)",
	"internal/cli/setup/init.go":          "a new file only (O_EXCL)",
	"internal/cli/upf/capture.go":         "a file that the user names",
	"internal/cli/clitest":                "tests",
	"internal/cli/manpages":               "the build",
	"internal/cli/docsite":                "the build",
	"internal/scenario/schemagen":         "the build",
	"internal/e2e/killmatrix":             "tests",
	"internal/text/safefile":              "this package",
	"internal/text/atomicfile":            "this package's other half",
}

// TestOneWayToWrite: whatever writes into a folder of results does it by this package or
// by atomicfile.
func TestOneWayToWrite(t *testing.T) {
	const top = "../../.."
	err := filepath.WalkDir(filepath.Join(top, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(top, path)
		if err != nil || excepted(filepath.ToSlash(name)) {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && writes(call) {
				t.Errorf("%s: write by safefile or atomicfile, which follow no links", set.Position(call.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func excepted(name string) bool {
	for prefix := range elsewhere {
		if name == prefix || strings.HasPrefix(name, prefix+"/") {
			return true
		}
	}
	return false
}

// writes reports whether a call makes a file, or opens one to write to it.
func writes(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := f.X.(*ast.Ident)
	if !ok || pkg.Name != "os" {
		return false
	}
	switch f.Sel.Name {
	case "Create", "WriteFile", "MkdirAll":
		return true
	case "OpenFile":
		return !reads(call.Args[1])
	}
	return false
}

// reads reports whether the flags of a call say that it only reads.
func reads(flags ast.Expr) (only bool) {
	ast.Inspect(flags, func(n ast.Node) bool {
		if f, ok := n.(*ast.SelectorExpr); ok && f.Sel.Name == "O_RDONLY" {
			only = true
		}
		return true
	})
	return only
}
