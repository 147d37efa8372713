package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// diskDir is set where the test binary runs in a mount namespace of its own
// and which folder to mount a small disk on.
const diskDir = "UPFLAB_TEST_DISK_DIR"

// TestSaveOnFullDisk runs TestFullDiskHelper with a disk of its own.
func TestSaveOnFullDisk(t *testing.T) {
	if os.Geteuid() != 0 && os.Getenv("CI") != "true" {
		t.Skip("not root: a small disk cannot be mounted")
	}
	helper := exec.Command(os.Args[0], "-test.run=^TestFullDiskHelper$", "-test.v")
	helper.Env = append(os.Environ(), diskDir+"="+t.TempDir())
	helper.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := helper.CombinedOutput()
	if errors.Is(err, syscall.EPERM) && os.Getenv("CI") != "true" {
		t.Skipf("no CAP_SYS_ADMIN: a small disk cannot be mounted: %v", err)
	}
	if err != nil {
		t.Fatalf("in a mount namespace of its own: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "PASS: TestFullDiskHelper") {
		t.Fatalf("the helper did not run:\n%s", out)
	}
}

func TestFullDiskHelper(t *testing.T) {
	dir := os.Getenv(diskDir)
	if dir == "" {
		t.Skip("run by TestSaveOnFullDisk in a mount namespace of its own")
	}
	mountSmallDisk(t, dir)
	fill := filepath.Join(dir, "fill")
	checkFull(t, dir, false)
	os.Remove(fill)
	if err := Save(dir, sample()); err != nil {
		t.Fatal(err)
	}
	checkFull(t, dir, true)
	if got, err := Load(dir); err != nil || got.Run != sample().Run {
		t.Errorf("the earlier result is not intact: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestNoInodes: a disk without inodes is no full one.
func TestNoInodes(t *testing.T) {
	if dir := os.Getenv(diskDir); dir != "" {
		mountDisk(t, dir, "nr_inodes=3")
		for i := range 3 {
			_ = os.WriteFile(filepath.Join(dir, fmt.Sprint("fill", i)), nil, 0o600)
		}
		t.Log(Save(dir, sample()))
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("not root: a disk cannot be mounted")
	}
	helper := exec.Command(os.Args[0], "-test.run=^TestNoInodes$", "-test.v")
	helper.Env = append(os.Environ(), diskDir+"="+t.TempDir())
	helper.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if out, err := helper.CombinedOutput(); err != nil || !strings.Contains(string(out), "has no inodes left") || strings.Contains(string(out), "is full") {
		t.Errorf("%v: %s", err, out)
	}
}

func mountSmallDisk(t *testing.T, dir string) {
	t.Helper()
	mountDisk(t, dir, "size=64k")
}

func mountDisk(t *testing.T, dir, options string) {
	t.Helper()
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		t.Fatalf("making the mounts private: %v", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Fatalf("mounting a tmpfs: %v", err)
	}
}

// checkFull fills the disk, saves, and looks at the error.
func checkFull(t *testing.T, dir string, intact bool) {
	t.Helper()
	fill := filepath.Join(dir, "fill")
	if err := os.WriteFile(fill, make([]byte, 128<<10), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	var full *DiskFullError
	if err := Save(dir, sample()); !errors.As(err, &full) {
		t.Fatalf("Save on a full disk: %v", err)
	}
	want := fmt.Sprintf("the disk at %s is full", dir)
	if full.Intact != intact || full.Free != 0 || full.Needed == 0 || !strings.Contains(full.Error(), want) {
		t.Errorf("%+v: %v", full, full)
	}
}
