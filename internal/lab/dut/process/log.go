package process

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/text/safefile"
)

const (
	logMax   = 64 << 20 // bytes: a larger log is cut to its end
	logKept  = 1 << 20  // bytes that stay of it
	logCheck = time.Second
)

// boundLog keeps the log of a program from filling the disk, until stop is called, after the
// program's end: stop cuts what was written since the last look. The program appends to the
// file, so that it goes on after what is left.
func boundLog(path string) (stop func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(logCheck)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				cutLog(path, logMax, logKept)
			}
		}
	}()
	return func() {
		close(ended)
		<-done
		cutLog(path, logMax, logKept)
	}
}

// cutLog leaves the end of a file that is larger than most.
func cutLog(path string, most, kept int64) error {
	f, err := safefile.Reopen(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= most {
		return err
	}
	end := make([]byte, kept)
	n, err := f.ReadAt(end, info.Size()-kept)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "[upflab: %d bytes cut here: a log is kept up to %d]\n%s", info.Size()-int64(n), most, end[:n])
	return err
}
