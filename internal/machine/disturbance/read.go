package disturbance

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
)

// drain takes what the programs noted into the history.
func (m *Monitor) drain() {
	if m.err != nil {
		return
	}
	m.reader.SetDeadline(time.Unix(1, 0)) // what is there, without waiting
	for {
		err := m.reader.ReadInto(&m.record)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			m.err = err
			return
		}
		e, err := decode(m.record.RawSample)
		if err != nil {
			m.err = err
			return
		}
		m.note(&e)
	}
}

// causes are the kernel's, by enum cause.
var causes = [...]Cause{Paused, Others, Interrupts, Unseen}

func (m *Monitor) note(e *watchEvent) {
	if int(e.Cause) >= len(causes) {
		m.history.idle(int(e.Cpu), e.From)
		return
	}
	m.history.add(int(e.Cpu), interval{from: e.From, to: e.To, rested: e.Rested, cause: causes[e.Cause], who: who(e)})
}

// vector marks the number of an event as that of a softirq.
const vector = 1 << 31

// softirqs are the names of the vectors that count as interrupts.
var softirqs = map[uint32]string{4: "block", 5: "irq_poll", 6: "tasklet"}

// who names the originator.
func who(e *watchEvent) string {
	name := make([]byte, 0, len(e.Who))
	for _, c := range e.Who {
		if c == 0 {
			break
		}
		name = append(name, byte(c))
	}
	switch {
	case causes[e.Cause] == Others && int(e.Number) == os.Getpid():
		return Itself
	case causes[e.Cause] != Interrupts:
		return string(name)
	case e.Number >= vector:
		return "softirq " + softirqs[e.Number&^vector]
	}
	return fmt.Sprintf("interrupt %d %s", e.Number, name)
}

// open are the disturbances that still last, by CPU: when they began. It starts clocks
// again that the kernel has stopped.
func (m *Monitor) open() map[int]uint64 {
	if m.err != nil {
		return nil
	}
	began := map[int]uint64{}
	now := threads.Monotonic()
	for i, id := range m.history.cpus() {
		c, err := m.cpu(id)
		if err == nil && now > c.Fired+uint64(2*Period) {
			err = m.restartClocks(m.clocks[i])
		}
		if err != nil {
			m.err = err
			return nil
		}
		if since := lasts(&c, now); since != 0 {
			began[id] = since
		}
	}
	return began
}

// lasts is since when a CPU in that state is disturbed; 0: it is not. An idle CPU may
// have no timers: of one that stands still it is known only when it goes on.
func lasts(c *watchCpu, now uint64) uint64 {
	var earliest uint64
	for _, b := range []struct {
		since uint64
		least time.Duration
		is    bool
	}{{c.Fired, 2 * Period, c.Asleep == 0}, {c.Waiting, Held, true}, {c.Unseen, 0, true}} {
		if b.is && b.since != 0 && now > b.since+uint64(b.least) && (earliest == 0 || b.since < earliest) {
			earliest = b.since
		}
	}
	return earliest
}
