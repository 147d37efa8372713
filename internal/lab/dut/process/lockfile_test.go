package process

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFreeInstance: no two UPFs of a machine have the same lock file; one that a dead UPF has left is taken.
func TestFreeInstance(t *testing.T) {
	dir := t.TempDir()
	locks := func(instance int) string { return filepath.Join(dir, strconv.Itoa(instance)) }
	seen := map[int]bool{}
	for range 3 {
		n := FreeInstance(locks)
		if n < 10 || n > 99 || seen[n] {
			t.Errorf("instance %d, after %v", n, seen)
		}
		seen[n] = true
		f, err := os.Create(locks(n))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if again := FreeInstance(locks); again != n {
			t.Errorf("a file that nobody locks is not taken: %d, want %d", again, n)
		}
		lock := unix.Flock_t{Type: unix.F_WRLCK} // of the open file: a lock of this process would be none to itself
		if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lock); err != nil {
			t.Fatal(err)
		}
	}
}
