package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAskingNobody: each command says that no UPF runs, and what to do.
func TestAskingNobody(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.sock")
	dead := filepath.Join(t.TempDir(), "dead.sock")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: dead}); err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	for _, words := range [][]string{{"sessions"}, {"session", "0x1"}, {"drops"}, {"top"}, {"capture", "0x1"}} {
		status, out, says := typed(append(append([]string{"upf"}, words...), "--socket", missing)...)
		if status != 1 || out != "" || !strings.Contains(says, "no UPF runs here") || !strings.Contains(says, "--socket") {
			t.Errorf("%v: status %d, %q, %q", words, status, out, says)
		}
		status, _, says = typed(append(append([]string{"upf"}, words...), "--socket", dead)...)
		if status != 1 || !strings.Contains(says, "runs no more") {
			t.Errorf("%v: status %d, %q", words, status, says)
		}
	}
	if status, _, says := typed("upf", "session", "first"); status != 2 || !strings.Contains(says, "like 0x1f") {
		t.Errorf("status %d, %q", status, says)
	}
}
