package behaviour

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// wire is a port at which a test has packets arrive.
type wire struct{ arrive func(ip []byte) }

func (w *wire) On(f func(ip []byte)) { w.arrive = f }
func (w *wire) Send([]byte) error    { return nil }

// TestFragmentsOfEachGNB: fragments that came to one gNB are none of another's.
func TestFragmentsOfEachGNB(t *testing.T) {
	gnb, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.7")
	n3, box := new(wire), newInbox(1, netip.MustParsePrefix("10.45.0.0/16"))
	box.listen(n3, true)
	o := packet.Outer{From: netip.MustParseAddr("192.0.2.3"), To: other, TEID: 1}
	parts := packet.Split(o.Encapsulate(make([]byte, 100)), 2, 1)
	n3.arrive(parts[0])
	if box.fragments(gnb) != 0 || box.fragments(other) != 1 {
		t.Errorf("%d fragments to one, %d to the other", box.fragments(gnb), box.fragments(other))
	}
	n3.arrive(parts[1])
	if box.fragments(other) != 0 {
		t.Errorf("%d fragments are left of a whole packet", box.fragments(other))
	}
	up := Up(&UE{}, "")
	if up.gnb().IsValid() {
		t.Error("an uplink packet arrives at a gNB")
	}
}
