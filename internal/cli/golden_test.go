package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// typed runs a command line as a user types it, without the program's name.
func typed(args ...string) (status int, stdout, stderr string) {
	var out, errors bytes.Buffer
	status = Main(args, &out, &errors)
	return status, out.String(), errors.String()
}

// golden compares text with testdata/name; UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (UPDATE_GOLDEN=1 go test writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s:\n got\n%s\nwant\n%s", path, got, want)
	}
}
