package free5gc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/machine/host"
)

func TestStarved(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "42"), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"2100000000 12300000000 77\n": "ran for 2.1 s and waited 12.3 s",
		"9000000000 100000000 77\n":   "",
	} {
		if err := os.WriteFile(filepath.Join(root, "42", "schedstat"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		got := starved(root, 42)
		if taken := strings.Contains(got, "its CPU was taken"); taken != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestOthers(t *testing.T) {
	list := others([]host.Record{{Run: "ab2de", PID: 7, Live: true}, {Run: "own", PID: 9, Live: true}, {Run: "dead", PID: 8}}, 9)
	if len(list) != 1 || !strings.Contains(list[0], "ab2de, process 7") {
		t.Errorf("%q", list)
	}
}
