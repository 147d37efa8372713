package calibration

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/upflab/upflab/internal/text/safefile"
)

// lockName is no name that a user gives to something: --dir may name any folder.
const lockName = ".upflab-calibration-lock"

// Lock makes the folder of calibrations, and takes its lock for as long as the file is open: two at once would
// disturb each other, and each would forget the other's runs.
func Lock(dir string) (*os.File, error) {
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of calibrations: %w", err)
	}
	lock, err := safefile.Lock(filepath.Join(dir, lockName))
	switch {
	case errors.Is(err, safefile.ErrLocked):
		return nil, errors.New("this machine is being calibrated by another process: two at once disturb each other; wait for its end")
	case err != nil:
		return nil, fmt.Errorf("begin a calibration: %w", err)
	}
	return lock, nil
}
