package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/text/safefile"
)

// The least distance of two points, and how often a run that has nothing to say shows that
// it is there.
const (
	pointEvery = time.Second
	beatEvery  = 5 * time.Second
)

// writer appends events to a file. Where that fails, as on a full disk, it writes no more:
// the run goes on, and its own saving says what is wrong.
type writer struct {
	mu    sync.Mutex
	file  *os.File // nil: nothing is written
	begun time.Time
	last  time.Time
	done  chan struct{}
}

func newWriter(dir string) *writer {
	w := &writer{begun: time.Now(), done: make(chan struct{})}
	w.file, _ = safefile.Create(filepath.Join(dir, FileName), 0o644)
	go w.beat()
	return w
}

func (w *writer) write(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return
	}
	w.last = time.Now()
	e.T = float64(w.last.Sub(w.begun).Milliseconds()) / 1e3
	line, err := json.Marshal(e)
	if err == nil {
		_, err = w.file.Write(append(line, '\n'))
	}
	if err != nil {
		w.file.Close()
		w.file = nil
	}
}

func (w *writer) beat() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-tick.C:
		}
		w.mu.Lock()
		quiet := time.Since(w.last) >= beatEvery
		w.mu.Unlock()
		if quiet {
			w.write(Event{Kind: KindBeat})
		}
	}
}

func (w *writer) close() {
	close(w.done)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil {
		w.file.Close()
		w.file = nil
	}
}
