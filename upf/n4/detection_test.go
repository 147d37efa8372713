package n4

import (
	"testing"
)

// TestInactivityDetection: the time that is measured stops when no packet came for the
// Inactivity Detection Time, and goes on with the next.
func TestInactivityDetection(t *testing.T) {
	packet := traffic{7, 0}
	begin := func() (*bench, *[][]byte) {
		b := newBench(t, nil)
		b.play("setup", "establish-detection")
		sent := b.listen()
		b.pass(10)
		b.use(packet)
		b.settle()
		return b, sent
	}
	b, sent := begin()
	b.pass(20) // of which 4 count
	b.use(packet)
	b.settle()
	b.pass(3)
	b.use(packet)
	b.pass(2)
	b.wantSent(*sent, nil)
	b.pass(1)
	b.wantSent(*sent, []string{"report-detection"})

	b, sent = begin()
	b.pass(10)
	b.play("query-detection")
	b.pass(10)
	b.use(packet)
	b.settle()
	b.pass(2)
	b.play("query-detection-again")
	b.wantSent(*sent, nil)
}
