package inputs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/safefile"
)

// TestScenarioFiles: a device, a pipe without a writer and a file that is too large are refused
// before they are read.
func TestScenarioFiles(t *testing.T) {
	pipe, large := filepath.Join(t.TempDir(), "pipe.yaml"), filepath.Join(t.TempDir(), "large.yaml")
	if err := errors.Join(unix.Mkfifo(pipe, 0o600), os.WriteFile(large, nil, 0o600), os.Truncate(large, 1<<30)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		"/dev/zero": safefile.ErrNotRegular, pipe: safefile.ErrNotRegular, large: safefile.ErrTooLarge,
	} {
		if _, err := OpenScenario(path, nil, false); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}

func TestOpenScenario(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte("payload: 200\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenScenario(file, []string{"sessions=3"}, false)
	if err != nil || s.Name != "mine" || s.Payload != 200 || s.Sessions != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestOpenScenarioErrors(t *testing.T) {
	for arg, want := range map[string]string{
		"load-latncy":       "did you mean load-latency?",
		"":                  "no built-in scenario",
		"../secret":         "no such file",
		"/nowhere/x.yaml":   "no such file",
		"catalog/quick":     "no such file",
		t.TempDir() + "/":   "not a regular file",
		"LOAD-LATENCY.yaml": "no such file",
	} {
		if _, err := OpenScenario(arg, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", arg, err, want)
		}
	}
}

// TestUpperCaseEnding: a scenario's file may be called X.YAML.
func TestUpperCaseEnding(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("MINE.YAML", []byte("payload: 200\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := OpenScenario("MINE.YAML", nil, false); err != nil || s.Payload != 200 {
		t.Errorf("%v", err)
	}
}
