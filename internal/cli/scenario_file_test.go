package cli

import (
	"errors"
	"os"
	"path/filepath"
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
		if _, err := openScenario(path, nil, false); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}
