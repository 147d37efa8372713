package calibration

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/upflab/upflab/internal/text/safefile"
)

// scratchName and lockName are no names that a user gives to something: --dir may name any folder.
const (
	scratchName = ".upflab-calibration-runs"
	lockName    = ".upflab-calibration-lock"
)

// Scratch makes the folder for the results of the runs of one calibration, below dir, and removes what an earlier
// one left there that was killed. There is one calibration at a time; release ends it and removes its results.
func Scratch(dir string) (runs string, release func() error, err error) {
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return "", nil, fmt.Errorf("make the folder of calibrations: %w", err)
	}
	lock, err := safefile.Lock(filepath.Join(dir, lockName))
	switch {
	case errors.Is(err, safefile.ErrLocked):
		return "", nil, errors.New("this machine is being calibrated by another process: two at once disturb each other; wait for its end")
	case err != nil:
		return "", nil, fmt.Errorf("begin a calibration: %w", err)
	}
	runs = filepath.Join(dir, scratchName)
	release = func() error { return errors.Join(os.RemoveAll(runs), lock.Close()) }
	if err := os.RemoveAll(runs); err != nil {
		return "", nil, errors.Join(fmt.Errorf("remove what a killed calibration left: %w", err), lock.Close())
	}
	if err := safefile.MakeFolder(runs, 0o755); err != nil {
		return "", nil, errors.Join(fmt.Errorf("make the folder of a calibration's runs: %w", err), lock.Close())
	}
	return runs, release, nil
}
