package outputs

import (
	"fmt"
	"io"
	"time"

	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/safefile"
)

// RunFolder is the folder of a run. One below results is results/last until the next begins.
func RunFolder(warnings io.Writer, out, name string) (string, error) {
	dir, err := Folder(out, name)
	if err == nil && out == "" {
		if err := store.Last(dir); err != nil {
			fmt.Fprintf(warnings, "warning: %v\n", err)
		}
	}
	return dir, err
}

// Folder is that of a result: a new one below results, or the one that is named.
func Folder(out, name string) (string, error) {
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
