package process

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/text/safefile"
)

const (
	logMax   = 64 << 20 // bytes: a larger log is cut to its end
	logKept  = 1 << 20  // bytes that stay of it
	logCheck = time.Second
)

// programLog is the file of a program's output.
type programLog struct {
	path    string
	cutting sync.Mutex // held while it is cut: its length says nothing then
}

// bound keeps the log from filling the disk, until stop is called, after the program's end: stop
// cuts what was written since the last look. The program appends to the file, so that it goes on
// after what is left.
func (l *programLog) bound() (stop func()) {
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
				l.cut(logMax, logKept)
			}
		}
	}()
	return func() {
		close(ended)
		<-done
		l.cut(logMax, logKept)
	}
}

// cut leaves the end of a log that is larger than most.
func (l *programLog) cut(most, kept int64) error {
	l.cutting.Lock()
	defer l.cutting.Unlock()
	f, err := safefile.Reopen(l.path)
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

// tail is the end of the log without its colours, at most 2000 bytes.
func (l *programLog) tail() string {
	const most = 2000
	l.cutting.Lock()
	defer l.cutting.Unlock()
	f, err := os.Open(l.path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > most {
		f.Seek(-most, io.SeekEnd)
	}
	b := make([]byte, most)
	n, _ := f.Read(b)
	return plain(string(b[:n]))
}
