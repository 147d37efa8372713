package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNotes: days and runs are told apart; what is no note is left out, and a file that is too large
// is an error that names it.
func TestNotes(t *testing.T) {
	dir := t.TempDir()
	if list, err := Notes(dir); err != nil || list != nil {
		t.Errorf("without the file: %v, %v", list, err)
	}
	path := filepath.Join(dir, NotesName)
	text := "# what happened\n\n2026-11-20 kernel 6.12\x1b[31m\nnight-03/ new NIC\nalone\n  2026-13-40 is no day, but may be a folder\n" +
		strings.Repeat("2026-11-21 x\n", 300)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := Notes(dir)
	if err != nil || len(list) != notesMost {
		t.Fatalf("%d notes, %v", len(list), err)
	}
	if n := list[0]; !n.At.Equal(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)) || strings.Contains(n.Text, "\x1b") ||
		!strings.HasPrefix(n.Text, "kernel 6.12") {
		t.Errorf("%+v", n)
	}
	if n := list[1]; n.Path != "night-03" || n.Text != "new NIC" || !n.At.IsZero() {
		t.Errorf("%+v", n)
	}
	os.WriteFile(path, make([]byte, notesBytes+1), 0o644)
	if _, err := Notes(dir); err == nil || !strings.Contains(err.Error(), NotesName) {
		t.Errorf("a file that is too large: %v", err)
	}
}
