package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, dir string) (*Journal, map[string]string) {
	t.Helper()
	j, values, err := Open(dir, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for k, v := range values {
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
