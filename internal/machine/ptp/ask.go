package ptp

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/upflab/upflab/internal/text/scratch"
)

// Socket is where ptp4l listens.
const Socket = "/var/run/ptp4l"

// State is what ptp4l says.
type State struct {
	Domain int      // domainNumber
	Ports  []string // the state of each: "SLAVE", "MASTER" ...
	// OffsetNS is by how much the clock is ahead of its master, ns, at the last message from it,
	// and PathDelayNS how long messages take, ns.
	OffsetNS, PathDelayNS int64
	Steps                 int // clocks between this one and the grandmaster
	// Grandmaster is the identity of the clock that all follow, and Followed whether there is
	// one: else it is this clock's own.
	Grandmaster string
	Followed    bool
}

// domains are those that are asked: the default, those of ITU-T G.8275.1, G.8275.2 and
// G.8265.1, and IEEE 802.1AS.
var domains = []domain{{0, 0}, {0, 24}, {0, 44}, {0, 4}, {1, 0}}

// answerIn is how long ptp4l may take for an answer: it is on this host.
const answerIn = 100 * time.Millisecond

// ErrNotRunning is a host without ptp4l.
var ErrNotRunning = errors.New("ptp4l does not run here")

// Read asks the ptp4l at a socket for its state. It takes some milliseconds, at most 0.8 s.
func Read(socket string) (s State, err error) {
	if _, err := os.Stat(socket); err != nil {
		return s, ErrNotRunning
	}
	folder, err := scratch.New("ptp")
	if err != nil {
		return s, fmt.Errorf("ask ptp4l: %w", err)
	}
	defer folder.Close()
	c, err := net.DialUnix("unixgram", &net.UnixAddr{Name: filepath.Join(folder.Path, "answers"), Net: "unixgram"},
		&net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return s, errors.Join(ErrNotRunning, err)
	}
	defer c.Close()
	return read(c)
}

func read(c *net.UnixConn) (s State, err error) {
	for i, d := range domains {
		s = State{Domain: int(d.number)}
		if err = ask(c, question(d, currentDataSet, uint16(i)), currentDataSet, uint16(i), s.current); err == nil {
			sequence := uint16(len(domains))
			return s, errors.Join(ask(c, question(d, timeStatusNP, sequence), timeStatusNP, sequence, s.status),
				ask(c, question(d, portDataSet, sequence+1), portDataSet, sequence+1, s.port))
		}
	}
	return s, fmt.Errorf("ptp4l at %s does not answer: %w", c.RemoteAddr(), err)
}

// ask asks one thing. Of ports each one answers: those that do within answerIn are taken.
func ask(c *net.UnixConn, message []byte, id, sequence uint16, take func([]byte) error) error {
	if _, err := c.Write(message); err != nil {
		return err
	}
	if err := c.SetReadDeadline(time.Now().Add(answerIn)); err != nil {
		return err
	}
	buffer, answers := make([]byte, 2048), 0
	for {
		n, err := c.Read(buffer)
		if err != nil && answers > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := answer(buffer[:n], id, sequence)
		if errors.Is(err, errNoAnswer) {
			continue
		}
		if err == nil {
			err = take(data)
		}
		if err != nil || id != portDataSet {
			return err
		}
		answers++
	}
}
