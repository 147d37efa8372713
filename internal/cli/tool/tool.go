// Package tool describes this program: its version and its file.
package tool

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
)

// VersionLine is what --version prints.
func VersionLine() string {
	t := Facts()
	return fmt.Sprintf("upflab %s (commit %s, %s)\n", t.Version, t.Commit, t.Go)
}

// released and releasedCommit are set by the linker when a release is built, where Go's
// build information may know neither: from an archive of the sources, or in a work tree
// of git's.
var released, releasedCommit string

// Facts describes this program, as the linker was told or as Go's build information has it.
func Facts() record.Tool {
	t := built()
	if released != "" {
		t.Version, t.Commit = released, releasedCommit
	}
	return t
}

// built is what Go says of this program. Where Go knows no version, the program's own hash is
// taken, which is read once.
var built = sync.OnceValue(func() record.Tool {
	t := record.Tool{Version: "unknown", Commit: "unknown", Go: runtime.Version()}
	if self, err := os.Executable(); err == nil {
		t.Version = dut.GoVersion(self) // what Go calls "(devel)" says nothing
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			t.Commit = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				t.Commit += "+changes"
			}
		}
	}
	return t
})

// Self is this program, also when its file was replaced meanwhile.
func Self() string {
	if path, err := os.Executable(); err == nil {
		if _, err := exec.LookPath(path); err == nil {
			return path
		}
	}
	return "/proc/self/exe"
}
