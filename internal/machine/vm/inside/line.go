package inside

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// AliveEvery is how often the guest says that it runs.
const AliveEvery = 5 * time.Second

// line is the serial line to the host.
type line struct {
	mu  sync.Mutex
	tty *os.File
}

// openLine opens the second serial line, the first of which is the kernel's console.
func openLine() (*line, error) {
	tty, err := os.OpenFile("/dev/ttyS1", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, fmt.Errorf("open the line to the host: %w", err)
	}
	fd := int(tty.Fd())
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("set up the line to the host: %w", err)
	}
	// As cfmakeraw(3): nothing is changed on the way.
	t.Iflag, t.Oflag, t.Lflag = 0, 0, 0
	t.Cflag = t.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8 | unix.CREAD | unix.CLOCAL
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, t); err != nil {
		return nil, fmt.Errorf("set up the line to the host: %w", err)
	}
	return &line{tty: tty}, nil
}

// Write sends text of the command, without what would begin an event.
func (l *line) Write(b []byte) (int, error) {
	if err := l.send(bytes.ReplaceAll(b, []byte{EventMark}, nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (l *line) send(b []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.tty.Write(b)
	return err
}

// report sends an event. One that cannot be sent is not missed: the host notices that none comes.
func (l *line) report(e Event) {
	b, err := json.Marshal(e)
	if err != nil {
		return
	}
	_ = l.send(append(append([]byte{EventMark}, b...), '\n'))
}

// live reports that the guest runs, as long as it does.
func (l *line) live() {
	for range time.Tick(AliveEvery) {
		l.report(Event{Alive: true})
	}
}

// interrupts calls do for each request of the host to end.
func (l *line) interrupts(do func()) {
	b := make([]byte, 1)
	for {
		if n, err := l.tty.Read(b); err != nil {
			return
		} else if n == 1 && b[0] == Interrupt {
			do()
		}
	}
}

// drain waits until the host has all of it.
func (l *line) drain() { _ = unix.IoctlSetInt(int(l.tty.Fd()), unix.TCSBRK, 1) }
