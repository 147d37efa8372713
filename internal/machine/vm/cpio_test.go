package vm

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The bytes are those of GNU cpio 2.13 for the same files: cpio -o -H newc --reproducible --owner 0:0, all of them
// with the time 0. It fills its last block up with zeros.
func TestArchive(t *testing.T) {
	want, err := os.ReadFile("testdata/newc.cpio")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	a := archive{to: &b}
	a.folder("dev")
	a.file("init", 0o755, 5, strings.NewReader("hello"))
	a.folder("modules")
	a.file("modules/9p", 0o644, 0, strings.NewReader(""))
	a.file("modules/even", 0o600, 8, strings.NewReader("12345678"))
	if err := a.end(); err != nil {
		t.Fatal(err)
	}
	got := append(b.Bytes(), make([]byte, max(0, len(want)-b.Len()))...)
	if len(want) < 600 || !bytes.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
