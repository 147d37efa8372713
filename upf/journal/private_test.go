package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFolderOfOthers: a folder that others may write to or read, that is another user's, or
// that is a link is refused with what to do.
func TestFolderOfOthers(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "state")
	fail := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	for mode, want := range map[os.FileMode]string{0o777: "mode 0777", 0o755: "chmod 0700", 0o720: "mode 0720",
		os.ModeSticky | 0o777: "mode 1777"} {
		fail(os.Mkdir(dir, 0o700))
		fail(os.Chmod(dir, mode))
		if _, _, err := Open(dir, fail); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("mode %v: %v, want %q", mode, err, want)
		}
		if list, _ := os.ReadDir(dir); len(list) > 0 {
			t.Errorf("mode %v: %s was made", mode, list[0].Name())
		}
		fail(os.Remove(dir))
	}
	fail(os.Mkdir(dir, 0o700))
	link := filepath.Join(top, "link")
	fail(os.Symlink(dir, link))
	if _, _, err := Open(link, fail); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link: %v", err)
	}
	if os.Geteuid() == 0 {
		fail(os.Chown(dir, 1234, 1234))
		if _, _, err := Open(dir, fail); err == nil || !strings.Contains(err.Error(), "belongs to user 1234") {
			t.Errorf("another user's: %v", err)
		}
		fail(os.Chown(dir, 0, 0))
	}
	j, _, err := Open(dir, fail)
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
}
