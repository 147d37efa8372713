package inbox

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// wire is a port at which a test has packets arrive.
type wire struct{ arrive func(ip []byte) }

func (w *wire) On(f func(ip []byte)) { w.arrive = f }

// TestFragmentsOfEachGNB: fragments that came to one gNB are none of another's.
func TestFragmentsOfEachGNB(t *testing.T) {
	gnb, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.7")
	n3, box := new(wire), New(1, netip.MustParsePrefix("10.45.0.0/16"))
	box.Listen(n3.On, true)
	o := packet.Outer{From: netip.MustParseAddr("192.0.2.3"), To: other, TEID: 1}
	parts := packet.Split(o.Encapsulate(make([]byte, 100)), 2, 1)
	n3.arrive(parts[0])
	if box.Fragments(gnb) != 0 || box.Fragments(other) != 1 {
		t.Errorf("%d fragments to one, %d to the other", box.Fragments(gnb), box.Fragments(other))
	}
	n3.arrive(parts[1])
	if box.Fragments(other) != 0 {
		t.Errorf("%d fragments are left of a whole packet", box.Fragments(other))
	}
}
