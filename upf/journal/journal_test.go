package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func open(t *testing.T, dir string) (*Journal, map[string]string) {
	t.Helper()
	j, held, err := Open(dir, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for k, v := range held.Values {
		var text string
		if err := json.Unmarshal(v, &text); err != nil {
			t.Fatal(err)
		}
		texts[k] = text
	}
	return j, texts
}

func wants(t *testing.T, got map[string]string, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("it holds %v, want %v", got, want)
	}
}

func TestJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	j, values := open(t, dir)
	wants(t, values, nil)
	j.Put("a", "1")
	j.Put("b", "2")
	j.Put("a", "3")
	j.Put("c", "4")
	j.Forget("b")
	j.Forget("nosuch")
	if _, _, err := Open(dir, nil); err == nil || !strings.Contains(err.Error(), "another UPF runs") {
		t.Errorf("opened twice: %v", err)
	}
	j.Close()
	j, values = open(t, dir)
	wants(t, values, map[string]string{"a": "3", "c": "4"})
	if err := j.Remove(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// TestKilled: a line that was being written is not there, all others are; what is
// damaged is skipped.
func TestKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	text := `{"k":"a","v":"1"}` + "\n" + "\x00\x00garbage\n" + `{"k":"b","v":"2"}` + "\n" + `{"k":"a","v":"of which the e`
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, fileName), []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	j, values := open(t, dir)
	wants(t, values, map[string]string{"a": "1", "b": "2"})
	j.Put("c", "3")
	j.Close()
	j, values = open(t, dir)
	wants(t, values, map[string]string{"a": "1", "b": "2", "c": "3"})
	j.Close()
}

// journaled makes a journal of "a", "b" and "c" and gives its lines and its path.
func journaled(t *testing.T) (dir, path string, lines [][]byte) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "state")
	j, _ := open(t, dir)
	j.Put("a", "old")
	j.Put("b", "2")
	j.Put("a", "new")
	j.Put("c", "3")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, fileName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return dir, path, bytes.SplitAfter(text, []byte("\n"))
}

// TestDamage: whatever octet of a record changes, it is known, and costs its own value alone. No older
// value takes its place while its key can be read.
func TestDamage(t *testing.T) {
	dir, path, lines := journaled(t)
	record := lines[2]
	for i := range len(record) - 1 {
		bit := i % 8
		bad := bytes.Clone(record)
		if bad[i] ^= 1 << bit; bad[i] == '\n' {
			continue // it is two records, of which both are damaged
		}
		text := bytes.Join([][]byte{lines[0], lines[1], bad, lines[3]}, nil)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		j, held, err := Open(dir, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		value := string(held.Values["a"])
		if held.Damaged != 1 || string(held.Values["b"]) != `"2"` || string(held.Values["c"]) != `"3"` || value == `"new"` ||
			value != "" && i > checksumLength+len(`{"k":"a"`) {
			t.Errorf("bit %d of octet %d, %q: %d damaged, %s", bit, i, bad, held.Damaged, held.Values)
		}
		j.Close()
	}
}

// TestLostEnd: two records without the end between them are two that are lost.
func TestLostEnd(t *testing.T) {
	dir, path, lines := journaled(t)
	lines[1] = bytes.ReplaceAll(lines[1], []byte("\n"), []byte("*"))
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	j, held, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if held.Damaged != 2 || len(held.Values) != 1 {
		t.Errorf("%d damaged, %s", held.Damaged, held.Values)
	}
}

// TestOlderJournal: a journal without checksums is read, and has them from then on.
func TestOlderJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, fileName)
	text := `{"k":"a","v":"1"}` + "\n" + `{"k":"b","v":"2"}` + "\n" + `{"k":"a"}` + "\n"
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		j, values := open(t, dir)
		wants(t, values, map[string]string{"b": "2"})
		j.Close()
	}
	// The checksum is RFC 3720's CRC-32C, computed bit by bit elsewhere.
	if now, err := os.ReadFile(path); err != nil || string(now) != "7fcd38f0 "+`{"k":"b","v":"2"}`+"\n" {
		t.Errorf("%q, %v", now, err)
	}
}

// TestNoJournal: what is no journal is refused, and read neither for ever nor into memory.
func TestNoJournal(t *testing.T) {
	for story, make := range map[string]func(path string) error{
		"no regular file": func(path string) error { return unix.Mkfifo(path, 0o600) },
		"over 64 MiB": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 40<<30))
		},
	} {
		dir := filepath.Join(t.TempDir(), "state")
		if err := errors.Join(os.Mkdir(dir, 0o700), make(filepath.Join(dir, fileName))); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(dir, nil); err == nil || !strings.Contains(err.Error(), story) || !strings.Contains(err.Error(), "move") {
			t.Errorf("%s: %v", story, err)
		}
	}
}

// TestCompact: the file does not grow with changes of what is there.
func TestCompact(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	j, _ := open(t, dir)
	long := strings.Repeat("x", 1<<20)
	want := map[string]string{}
	for i := range 60 {
		key := fmt.Sprint("key", i%3)
		want[key] = long[i:]
		j.Put(key, want[key])
	}
	info, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil || info.Size() > compactWaste+10<<20 {
		t.Errorf("the file has %d octets, %v", info.Size(), err)
	}
	j.Close()
	j, values := open(t, dir)
	wants(t, values, want)
	j.Close()
}

// TestFullDisk: a change that cannot be written is reported, and does not spoil the next.
func TestFullDisk(t *testing.T) {
	var failed int
	j, _, err := Open(filepath.Join(t.TempDir(), "state"), func(error) { failed++ })
	if err != nil {
		t.Fatal(err)
	}
	good := j.file
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	j.file = full
	j.Put("a", "1")
	j.file = good
	j.Put("b", "2")
	j.Put("c", func() {})
	j.Close()
	if failed != 2 {
		t.Errorf("%d failures are reported, want 2", failed)
	}
	_, values := open(t, j.dir)
	wants(t, values, map[string]string{"b": "2"})
}
