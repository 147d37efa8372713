package live

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/text/units"
)

// silent is how long a run says nothing before it is taken to have been killed.
const silent = 20 * time.Second

// State says how far a run is.
type State int

// The states of a run.
const (
	Unknown State = iota // it wrote no file
	Running
	Ended
	Killed // it ended without saying so
)

// StateOf reads how far the run in a folder is.
func StateOf(dir string) State {
	f, info, err := open(dir)
	if err != nil {
		return Unknown
	}
	defer f.Close()
	tail := make([]byte, min(info.Size(), 4096))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return Unknown
	}
	if strings.Contains(units.LastLine(string(tail)), `"kind":"`+KindDone+`"`) {
		return Ended
	}
	if age := time.Since(info.ModTime()); age.Abs() > silent { // a clock may have gone back
		return Killed
	}
	return Running
}

// open opens the file of a folder that somebody else may have written: a link would show
// another file to whoever watches, and a pipe would wait.
func open(dir string) (*os.File, os.FileInfo, error) {
	return safefile.Open(filepath.Join(dir, FileName), unix.O_NOFOLLOW)
}

// ReadFrom gives the whole lines of the run in a folder that begin at an offset, and the
// offset of what comes next; 1 MiB at most at once.
func ReadFrom(dir string, offset int64) (lines [][]byte, next int64, err error) {
	f, _, err := open(dir)
	if err != nil {
		return nil, offset, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, offset, 1<<20))
	if err != nil {
		return nil, offset, err
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	for _, line := range bytes.Split(data[:end], []byte("\n")) {
		if len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, offset + int64(end), nil
}
