package afpacket

import (
	"time"

	"github.com/upflab/upflab/internal/traffic/receive"
	"github.com/upflab/upflab/internal/traffic/sender"
)

// wall turns times of CLOCK_REALTIME, in which the kernel stamps what a packet
// socket receives, into CLOCK_MONOTONIC. Both run at the same speed, so that their
// distance changes only when the clock is set. For a while after that a frame's time is
// computed with the distance that makes it possible, and is unknown when both do.
type wall struct {
	offset int64 // realtime - monotonic, ns
	old    int64 // before the clock was set
	set    int64 // when it was, ns of CLOCK_MONOTONIC; 0: never
	now    int64 // of the last look, ns of CLOCK_MONOTONIC
}

const (
	// stepNS is a change of the distance that is a step: two looks differ by less.
	stepNS = 20_000
	// waitNS is how long after a step frames may come that were received before it,
	// and how old they are at most.
	waitNS = 200_000_000
)

// look reads both clocks.
func (w *wall) look(m, realtime int64) {
	offset := realtime - m
	if w.now != 0 && (offset-w.offset > stepNS || w.offset-offset > stepNS) {
		w.old, w.set = w.offset, m
	}
	w.offset, w.now = offset, m
}

// arrival is when a frame with the kernel's stamp came, ns of CLOCK_MONOTONIC, or
// receive.Unknown.
func (w *wall) arrival(realtime int64) uint64 {
	at := realtime - w.offset
	if w.set == 0 || w.now-w.set > waitNS {
		return uint64(at)
	}
	before := realtime - w.old
	switch a, b := w.possible(at), w.possible(before); {
	case a && !b:
		return uint64(at)
	case b && !a:
		return uint64(before)
	}
	return receive.Unknown
}

func (w *wall) possible(at int64) bool { return at <= w.now && at > w.now-waitNS }

// readBoth reads CLOCK_MONOTONIC and CLOCK_REALTIME at the same moment: the closest
// of some readings, within 100 ns when nothing comes between.
func readBoth(m sender.Clock) (mono, realtime int64) {
	closest := int64(1 << 62)
	for range 3 {
		before := int64(m.Now())
		now := time.Now().UnixNano()
		if took := int64(m.Now()) - before; took < closest {
			closest, mono, realtime = took, before+took/2, now
		}
	}
	return mono, realtime
}
