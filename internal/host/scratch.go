package host

import (
	"fmt"
	"os"
	"path/filepath"
)

// Scratch makes a folder for files that are of no use after the run: it is removed with
// the run's list.
func (c *Claim) Scratch() (string, error) {
	dir := scratchPath(c.dir, c.Run)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the run: %w", err)
	}
	return dir, nil
}

func scratchPath(dir, run string) string { return filepath.Join(dir, run+".files") }
