package history

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk: when the disk becomes full, the index goes on in memory and says so; no
// result is lost, and with room it is a file again.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("it mounts a small disk, which takes root: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	for _, name := range []string{"a", "b"} {
		save(t, dir, name, night(int(name[0]), 2e6, 1))
	}
	x := open(t, dir)
	update(t, x)
	save(t, dir, "c", night('c', 2e6, 1))
	fill := filepath.Join(dir, "fill")
	os.WriteFile(fill, make([]byte, 512<<10), 0o600) // it fails, and leaves no room
	update(t, x)
	if runs := x.Runs(Filter{}); len(runs) != 3 || !strings.Contains(x.Note(), "kept in memory") {
		t.Errorf("%d runs, note %q", len(runs), x.Note())
	}
	os.Remove(fill)
	again := open(t, dir)
	update(t, again)
	if runs := again.Runs(Filter{}); len(runs) != 3 || again.Note() != "" {
		t.Errorf("with room again: %d runs, note %q", len(runs), again.Note())
	}
}
