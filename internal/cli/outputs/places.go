package outputs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/safefile"
)

// CheckFolder refuses a folder for the result, "" is a new one below results, that has one or cannot
// have one.
func CheckFolder(out string) error {
	if out == "" {
		return unlessAnybody(cannotWrite("the folder results", "name another with --out", safefile.Writable("results")))
	}
	if err := checkEarlier(out); err != nil {
		return err
	}
	return unlessAnybody(cannotWrite("--out "+out, "name another folder", safefile.Writable(out)))
}

// checkEarlier refuses a folder that has the result of an earlier run, or runs below it.
func checkEarlier(out string) error {
	if _, err := os.Lstat(filepath.Join(out, store.FileName)); err != nil {
		if runs, _ := filepath.Glob(filepath.Join(out, "*", store.FileName)); len(runs) > 0 {
			return exit.WrongConfig(fmt.Errorf("--out %s has runs in folders of their own, such as %s: name a new folder, such as %s",
				out, filepath.Base(filepath.Dir(runs[0])), filepath.Join(out, "mine")))

		}
		return nil
	}
	return exit.WrongConfig(fmt.Errorf("--out %s has the result of an earlier run: name another folder, "+
		"or remove %s", out, filepath.Join(out, store.FileName)))

}

// check refuses a file that cannot be written.
func (o Output) check() error {
	if o.Sent() || o.To == "" {
		return nil
	}
	dir := filepath.Dir(o.To)
	if info, err := os.Stat(o.To); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file", o.To)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: make it, or name a file in another one", dir)
	}
	return unlessAnybody(safefile.Writable(dir))
}

func cannotWrite(what, instead string, err error) error {
	if err == nil {
		return nil
	}
	return exit.WrongConfig(fmt.Errorf("%s: %w: %s", what, err, instead))
}

// unlessAnybody leaves out what only root may do, where a plan is asked for as somebody else.
func unlessAnybody(err error) error {
	if os.Geteuid() != 0 && errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
