package xdp

import (
	"errors"
	"fmt"

	"github.com/upflab/upflab/internal/traffic"
)

// Back is how a sink sends packets back where they came from.
type Back struct {
	Flow *traffic.Flow // of the other direction
	// Below and Lanes say for which sessions: those whose number modulo Lanes is below Below.
	Lanes, Below int
}

// The lengths of what is before the inner packet.
const (
	plainHead  = 14
	tunnelHead = 58
)

// turn is what the program needs for that.
func (b *Back) turn() (t sinkTurn) {
	if b == nil {
		return t
	}
	t.Lanes, t.Below, t.Inner = uint32(max(b.Lanes, 1)), uint32(b.Below), plainHead
	if b.Flow.Uplink() {
		t.Inner = tunnelHead
	}
	copy(t.Headers[:t.Inner], b.Flow.Frame(b.Flow.Streams[0], 0))
	return t
}

var _ traffic.Returner = (*sink)(nil)

// SendBack implements traffic.Returner: it has the sink send back one packet in so many.
func (s *sink) SendBack(every uint32) error {
	switch {
	case every > 0 && !s.sendsBack:
		return errors.New("this sink was not opened to send packets back")
	case every&(every-1) != 0:
		return fmt.Errorf("one packet in %d is to be sent back: that is no power of two", every)
	}
	return s.objects.TurnEvery.Set(every)
}

// addReturns adds a CPU's counts of packets sent back, and of those that came back.
func addReturns(sum *sinkTotals, t sinkTotals) {
	sum.Turned += t.Turned
	sum.TurnSum += t.TurnSum
	if t.ReturnCount == 0 {
		return
	}
	if sum.ReturnCount == 0 || t.ReturnMin < sum.ReturnMin {
		sum.ReturnMin = t.ReturnMin
	}
	sum.ReturnCount += t.ReturnCount
	sum.ReturnSum += t.ReturnSum
	sum.ReturnMax = max(sum.ReturnMax, t.ReturnMax)
}
