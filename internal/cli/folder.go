package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/safefile"
)

// runDir is the folder of a run. One below results is results/last until the next begins.
func runDir(warnings io.Writer, out, name string) (string, error) {
	dir, err := resultDir(out, name)
	if err == nil && out == "" {
		if err := store.Last(dir); err != nil {
			fmt.Fprintf(warnings, "warning: %v\n", err)
		}
	}
	return dir, err
}

func resultDir(out, name string) (string, error) {
	if out == "" {
		return store.NewDir("results", time.Now(), name)
	}
	if err := checkEarlier(out); err != nil {
		return "", err
	}
	if err := safefile.MakeFolder(out, 0o755); err != nil {
		return "", fmt.Errorf("make the folder of the result: %w", err)
	}
	return out, nil
}
