package process

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The end of a log stays, and what is appended comes after it.
func TestCutLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "upf.log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	log.Write(append(bytes.Repeat([]byte("x"), 1000), "the last words"...))
	for _, most := range []int64{2000, 500} {
		if err := cutLog(path, most, 14); err != nil {
			t.Fatal(err)
		}
	}
	log.WriteString(", and more")
	got, _ := os.ReadFile(path)
	want := "[upflab: 1000 bytes cut here: a log is kept up to 500]\nthe last words, and more"
	if string(got) != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
}
