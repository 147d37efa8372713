package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/text/safefile"
)

// NewDir makes the folder of a run below base, named after its start and its
// scenario: "20261121-015423-load-latency", in the time zone of now. Of runs
// that start in one second, the later ones get "-2", "-3" ... at the end.
func NewDir(base string, now time.Time, scenario string) (string, error) {
	if err := safefile.MakeFolder(base, 0o755); err != nil {
		return "", fmt.Errorf("making the folder of results: %w; name another with --out", err)
	}
	stem := filepath.Join(base, now.Format("20060102-150405")+"-"+fileName(scenario))
	const tries = 1000
	dir := stem
	for n := 2; n < tries; n++ {
		err := os.Mkdir(dir, 0o755)
		if !errors.Is(err, os.ErrExist) {
			return dir, explainMkdir(dir, err)
		}
		dir = fmt.Sprintf("%s-%d", stem, n)
	}
	return "", fmt.Errorf("making the folder of a run: %s and %d more exist; is the clock standing still?", stem, tries-2)
}

func explainMkdir(dir string, err error) error {
	if err != nil {
		return fmt.Errorf("making the folder of a run: %w", explainWrite(dir, 0, err))
	}
	return nil
}

// fileName keeps of a scenario's name what is safe in the name of a folder.
func fileName(scenario string) string {
	name := strings.Map(func(r rune) rune {
		if (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, scenario)
	if name == "" {
		return "run"
	}
	return name[:min(len(name), 64)]
}
