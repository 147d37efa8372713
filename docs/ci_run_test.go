package docs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCIFailsWithItsParts: .ci/run fails when one of its parts does, also one whose end falls into a line that another
// part is writing.
func TestCIFailsWithItsParts(t *testing.T) {
	for _, c := range []struct {
		story, kernels, race string
		status               int
	}{
		{"all pass", "exit 0", "printf 'ok  a\n'", 0},
		{"guests fail in mid-line", "sleep 0.3; exit 1", "printf 'ok  a'; sleep 1; printf 'b\n'", 1},
		{"guests are ended", "kill -KILL $PPID; exit 1", "printf 'ok  a\n'", 1},
		{"the race detector fails", "exit 0", "printf 'ok  a'; exit 1", 1},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			".ci/run": read(t, "../.ci/run"), ".ci/go": "#!/bin/sh\n", ".ci/needs": "#!/bin/sh\n", ".ci/kernels": "#!/bin/sh\n" + c.kernels + "\n",
			"bin/modprobe": "#!/bin/sh\n", "bin/mknod": "#!/bin/sh\n",
			"bin/make": "#!/bin/sh\ncase $1 in race) " + c.race + " ;; *) echo \"ok  $1\" ;; esac\n",
		} {
			path := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("bash", ".ci/run")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), fmt.Sprintf("PATH=%s/bin:%s", dir, os.Getenv("PATH")))
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.status || strings.Contains(string(out), "FAIL: ") != (c.status != 0) {
			t.Errorf("%s: status %d, want %d\n%s", c.story, got, c.status, out)
		}
	}
}
