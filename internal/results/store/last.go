package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// LastName is the link, next to the folders of runs, to the one that was begun last.
const LastName = "last"

// Last makes the link to a run's folder. A file or a folder of that name which is no link
// stays as it is.
func Last(dir string) error {
	link := filepath.Join(filepath.Dir(dir), LastName)
	if info, err := os.Lstat(link); err == nil && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("link %s to the run: it is there, and no link", link)
	}
	aside := filepath.Join(filepath.Dir(dir), "."+LastName+"-"+filepath.Base(dir)) // of this run alone
	if err := os.Symlink(filepath.Base(dir), aside); err != nil {
		return fmt.Errorf("link %s to the run: %w", link, err)
	}
	if err := os.Rename(aside, link); err != nil {
		return errors.Join(fmt.Errorf("link %s to the run: %w", link, err), os.Remove(aside))
	}
	return nil
}
