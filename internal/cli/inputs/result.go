package inputs

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/results/store"
)

// ResultsIn is the folder that a command on results is called with, else that of runs here.
func ResultsIn(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return "results"
}

// LoadResult reads a result that the command line names. That of a run under way is a part, which no figure
// or verdict is to be taken from.
func LoadResult(path string) (*record.Result, error) {
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir = filepath.Dir(path)
	}
	if live.StateOf(dir) == live.Running {
		return nil, exit.WrongConfig(fmt.Errorf("%s: its run is under way: wait until it has ended (`upflab serve` shows what it has measured so far)", path))
	}
	r, err := store.Load(path)
	if err != nil {
		return nil, exit.WrongConfig(err)
	}
	return r, nil
}
