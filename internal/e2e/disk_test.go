package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/upflab/upflab/internal/results/store"
)

// smallDisk mounts a disk of its own for a result.
func smallDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Fatalf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount the small disk: %v", err)
		}
	})
	return dir
}

// TestDiskFills: the run ends, says so, and shows what it measured.
func TestDiskFills(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	dir := smallDisk(t, "64k")
	run := upflab(t, quick(dir))
	run.finishes(1)
	run.mustSay("no space left on device", "the disk at "+dir+" is full", "make room")
	if table := run.stdout.String(); !strings.Contains(table, "uplink") || !strings.Contains(table, "wire") {
		t.Errorf("what was measured is not shown:\n%s", table)
	}
	if r, err := store.Load(dir); err == nil && r.Complete {
		t.Error("the result on the full disk says that it is complete")
	}
}

// TestDiskIsFull: nothing at all can be written.
func TestDiskIsFull(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	dir := smallDisk(t, "64k")
	if err := os.WriteFile(dir+"/fill", make([]byte, 128<<10), 0o600); err == nil {
		t.Fatal("the small disk is not small")
	}
	run := upflab(t, quick(dir))
	run.finishes(1)
	run.mustSay("no space left on device", dir)
}
