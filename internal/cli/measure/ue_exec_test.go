package measure

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

// TestCommandNotFound: `ue exec` answers as a shell does.
func TestCommandNotFound(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]int{"no-such-command": exit.NotFound, plain: exit.NotRunnable, "sh": exit.Done} {
		var said bytes.Buffer
		if got := exit.Report(&said, find(command)); got != want || (want != 0) != strings.Contains(said.String(), command) {
			t.Errorf("%s: status %d, want %d, says %q", command, got, want, said.String())
		}
	}
	if _, err := exec.LookPath(plain); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the test's own file: %v", err)
	}
}
