package outputs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder that holds a result is not used for another.
func TestOutWithResultIsRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := Folder(dir, "quick"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "result.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Folder(dir, "quick")
	if err == nil || !strings.Contains(err.Error(), "--out") || !strings.Contains(err.Error(), "name another folder") {
		t.Errorf("a folder with a result: %v", err)
	}
}
