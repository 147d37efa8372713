package impair

import (
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath/forward"
)

// loop is the one thread that everything belongs to.
type loop struct {
	device
	clock threads.Clock
	ports [forward.Directions]*tpacket.Port // that a direction's packets come in by
	asks  chan func()
	stop  atomic.Bool
	ended chan struct{}
	last  uint64 // when something was to be done, ns
}

// burst is how many frames are taken from one ring before the others, and what
// is due, have their turn.
const burst = 32

// After a while without packets, ns, the thread lets others have the CPU who want
// it; after a longer while it sleeps until one comes, or a millisecond.
const (
	yieldAfter = 5e6
	restAfter  = 1e9
	rest       = time.Millisecond
)

// run polls until stop. What other goroutines ask for is done in between.
func (l *loop) run() {
	defer close(l.ended)
	goFirst()
	for !l.stop.Load() {
		up, down := l.receive(forward.Uplink), l.receive(forward.Downlink)
		busy := up || down
		now := l.clock.Now()
		for _, lane := range l.lanes {
			if lane.depart(now) {
				busy = true
			}
		}
		if len(l.asks) > 0 {
			(<-l.asks)()
		}
		if busy {
			l.last = now
			continue
		}
		l.wait(now)
	}
}

// goFirst raises the priority of all threads of the process, so that those that
// answer questions get the CPU although this one does not pause. It is better to
// have, but not needed.
func goFirst() {
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, t := range tasks {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, tid, -20)
		}
	}
}

// receive takes what has arrived. A frame arrives when the kernel receives it. The
// lane gets the time up to which everything that arrived has been taken.
func (l *loop) receive(way forward.Direction) bool {
	port, lane := l.ports[way], l.lanes[way]
	began, ahead := real(l.clock)
	n := 0
	for ; n < burst; n++ {
		frame := port.Next()
		if frame == nil {
			break
		}
		at := arrived(port.Realtime()-ahead, lane.taken, l.clock.Now())
		l.frame(way, frame, at)
		lane.taken = at
		port.Release()
	}
	if n < burst { // the ring is empty
		lane.taken = max(lane.taken, began)
	}
	return n > 0
}

// arrived holds a time of arrival between that of the frame before and now: the
// clocks are read one after the other, and one of them may be stepped.
func arrived(at int64, before, now uint64) uint64 {
	return min(max(uint64(max(at, 0)), before), now)
}

// wait goes on at once while there is traffic. The rings are best filled on another
// CPU.
func (l *loop) wait(now uint64) {
	switch idle := now - l.last; {
	case idle < yieldAfter || !l.lanes[forward.Uplink].idle() || !l.lanes[forward.Downlink].idle():
	case idle < restAfter:
		unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	default:
		tpacket.Wait(rest, l.ports[forward.Uplink], l.ports[forward.Downlink]) // an error comes back as frames do: at once
	}
}

// do runs f on the loop's thread. It reports false when the loop has ended.
func (l *loop) do(f func()) bool {
	done := make(chan struct{})
	select {
	case l.asks <- func() { f(); close(done) }:
	case <-l.ended:
		return false
	}
	select {
	case <-done:
		return true
	case <-l.ended:
		return false
	}
}
