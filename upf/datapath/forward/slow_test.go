package forward

import (
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// TestInjectIsNotTaken where nobody sends what the rules forward.
func TestInjectIsNotTaken(t *testing.T) {
	f := forwarderFor(t)
	var message []byte
	for _, c := range datapathtest.Frames(t) {
		if c.Name == "n3 psc" {
			message = c.Input(t)[14+20+8:]
		}
	}
	f.OnSlow(nil)
	if f.Inject(message, 0, 1) {
		t.Error("a G-PDU is taken that nobody sends")
	}
	sent := 0
	f.OnSlow(func(datapath.Slow) { sent++ })
	if !f.Inject(message, 0, 1) || sent != 1 {
		t.Errorf("%d packets are sent, want 1", sent)
	}
}
