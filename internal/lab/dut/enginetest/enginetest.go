// Package enginetest has an engine for tests of what runs UPFs in containers.
package enginetest

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed podman
var script []byte

// Engine stands for podman. Its containers are programs of this machine, run in the
// network namespace that is asked for.
type Engine struct {
	Path string // the command
	// Programs is the folder that stands for every image: what a container starts is
	// looked up there by its name.
	Programs string
}

// Podman makes one, with empty images.
func Podman(t *testing.T) Engine {
	t.Helper()
	dir := t.TempDir()
	e := Engine{Path: filepath.Join(dir, "podman"), Programs: filepath.Join(dir, "programs")}
	for _, folder := range []string{e.Programs, filepath.Join(dir, "containers")} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(e.Path, script, 0o755); err != nil {
		t.Fatal(err)
	}
	return e
}

// Ran lists what was run: image, program and arguments.
func (e Engine) Ran() []string { return lines(filepath.Join(filepath.Dir(e.Path), "ran")) }

// Containers lists those that are there.
func (e Engine) Containers() (names []string) {
	list, _ := os.ReadDir(filepath.Join(filepath.Dir(e.Path), "containers"))
	for _, c := range list {
		names = append(names, c.Name())
	}
	return names
}

func lines(path string) []string {
	text, _ := os.ReadFile(path)
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}
