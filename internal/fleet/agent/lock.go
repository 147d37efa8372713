package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/text/safefile"
)

// lockDir is where a host's testbeds are locked.
const lockDir = "/run/upflab-agents"

// LockTestbed takes a testbed on this host, for as long as the file is open: two agents
// on it, for one hub or for two, would measure each other.
func LockTestbed(name string) (*os.File, error) {
	if err := os.MkdirAll(lockDir, 0o755); err != nil {
		return nil, fmt.Errorf("lock testbed %s: %w", name, err)
	}
	path := filepath.Join(lockDir, name)
	f, err := safefile.Lock(path)
	switch {
	case errors.Is(err, safefile.ErrLocked):
		by, _ := os.ReadFile(path)
		return nil, fmt.Errorf("testbed %s is served by another agent on this host, process %s: end that one first",
			name, strings.TrimSpace(string(by)))
	case err != nil:
		return nil, fmt.Errorf("lock testbed %s: %w", name, err)
	}
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}
