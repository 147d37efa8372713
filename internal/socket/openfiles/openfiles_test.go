package openfiles

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const limited = "UPFLAB_TEST_OPEN_FILES"

// TestCheck: a low limit is named with what to do, and an ordinary one is no problem.
func TestCheck(t *testing.T) {
	if os.Getenv(limited) != "" {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 32, Max: 32}); err != nil {
			t.Fatal(err)
		}
		t.Log(Check())
		return
	}
	helper := exec.Command(os.Args[0], "-test.run=^TestCheck$", "-test.v")
	helper.Env = append(os.Environ(), limited+"=yes")
	if out, err := helper.CombinedOutput(); err != nil || !strings.Contains(string(out), "only 32 files") || !strings.Contains(string(out), "ulimit -n") {
		t.Errorf("%v: %s", err, out)
	}
	if err := Check(); err != nil {
		t.Error(err)
	}
}
