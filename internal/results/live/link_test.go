package live

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPreparedLink: a link that somebody put where the file goes is replaced.
func TestPreparedLink(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	Watch(dir, "quick", 1, deaf{}).Close("")
	if b, _ := os.ReadFile(victim); string(b) != "secret" {
		t.Errorf("the link's target became %q", b)
	}
	if StateOf(dir) != Ended {
		t.Error("the run wrote nothing down")
	}
}
