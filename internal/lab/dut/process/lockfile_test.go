package process

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFreeInstance: no two UPFs of a machine have the same lock file; one that a dead UPF has left is taken.
func TestFreeInstance(t *testing.T) {
	dir := t.TempDir()
	seen := map[int]bool{}
	for range 3 {
		n, file := FreeInstance(dir, "/opt/bin/oai_upf")
		if n < 10 || n > 99 || seen[n] || file != filepath.Join(dir, fmt.Sprintf("oai_upf%d.pid", n)) {
			t.Errorf("instance %d with %s, after %v", n, file, seen)
		}
		seen[n] = true
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if again, _ := FreeInstance(dir, "oai_upf"); again != n {
			t.Errorf("a file that nobody locks is not taken: %d, want %d", again, n)
		}
		lock := unix.Flock_t{Type: unix.F_WRLCK} // of the open file: a lock of this process would be none to itself
		if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock); err != nil {
			t.Fatal(err)
		}
	}
}
