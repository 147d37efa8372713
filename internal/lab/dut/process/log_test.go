package process

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPlain: people read a log without the escape sequences of a terminal.
func TestPlain(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"nothing", "", ""},
		{"no colours", "open() failed\n", "open() failed\n"},
		{"a line of Open5GS v2.8.0",
			"\x1b[32m11/21 02:53:53.523\x1b[0m: [\x1b[33mupf\x1b[0m] \x1b[1;33mERROR\x1b[0m: No Context " +
				"(../src/upf/n4-handler.c:71)\n",
			"11/21 02:53:53.523: [upf] ERROR: No Context (../src/upf/n4-handler.c:71)\n"},
		{"cut off within one", "\x1b[32m11/21\x1b[0", "11/21"},
		{"begun within one", "33mupf\x1b[0m]", "33mupf]"},
	} {
		if got := plain(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

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
		if err := (&programLog{path: path}).cut(most, 14); err != nil {
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

// TestLogOfShortProgram: the log of a program that ends before anybody looked at it is cut, too.
func TestLogOfShortProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "upf.log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	stop := (&programLog{path: path}).bound()
	if err := log.Truncate(logMax + 1); err != nil { // without octets on the disk
		t.Fatal(err)
	}
	stop()
	if info, err := log.Stat(); err != nil || info.Size() > logKept+200 {
		t.Errorf("the log has %d octets, want %d and a line: %v", info.Size(), logKept, err)
	}
}
