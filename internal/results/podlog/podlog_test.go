package podlog

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThereAndBack(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	files := map[string]string{"result.json": "{}", "captures/n3.pcapng": strings.Repeat("x", 200000), "empty": "", "init.sh": "#!/bin/sh"}
	for name, text := range files {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	log.WriteString("what the run said\n")
	if err := Write(&log, from, 3); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "\n"+Begin+"\n") || !strings.HasSuffix(log.String(), End+"\n") {
		t.Errorf("the block is not within its lines: %.80q", log.String())
	}
	status, err := Read(log.Bytes(), to, func(name string) bool { return name != "init.sh" })
	if err != nil || status != 3 {
		t.Fatalf("status %d: %v", status, err)
	}
	delete(files, "init.sh")
	for name, text := range files {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != text {
			t.Errorf("%s: %d octets of %d: %v", name, len(got), len(text), err)
		}
	}
	if _, err := os.Lstat(filepath.Join(to, "link")); err == nil {
		t.Error("a link was handed over")
	}
	if _, err := os.Lstat(filepath.Join(to, "init.sh")); err == nil {
		t.Error("a file was written that the reader does not take")
	}
	checkDamaged(t, log.Bytes())
}

// checkDamaged wants what was cut off or changed to be refused.
func checkDamaged(t *testing.T, log []byte) {
	t.Helper()
	cut := append(bytes.Clone(log[:400]), log[len(log)-30:]...)
	other := bytes.Clone(log)
	at := bytes.Index(other, []byte("\n\n")) + 40
	if other[at]++; other[at] == 'z'+1 || other[at] == 'Z'+1 || other[at] == ':' {
		other[at] = 'A'
	}
	for name, text := range map[string][]byte{"nothing": nil, "no end": log[:len(log)/2], "cut": cut, "changed": other} {
		if _, err := Read(text, t.TempDir(), func(string) bool { return true }); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}

func TestMissingFolder(t *testing.T) {
	var log bytes.Buffer
	if err := Write(&log, filepath.Join(t.TempDir(), "none"), 1); err != nil {
		t.Fatal(err)
	}
	if status, err := Read(log.Bytes(), t.TempDir(), func(string) bool { return true }); err != nil || status != 1 {
		t.Errorf("status %d: %v", status, err)
	}
}
