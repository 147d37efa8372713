package livetest

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// switched is how many packets follow a path switch.
const switched = 10

// PathSwitch moves a session to a gNB that the kernel has not resolved. Whoever resolves it, before
// packets come or with the first one: none of them is lost.
func PathSwitch(t *testing.T, d datapath.Datapath) {
	Uncut(t, "n3") // a frame is a packet
	l := NewLab(t, d)
	var frame datapathtest.Frame
	for _, f := range datapathtest.Frames(t) {
		if f.Name == "n6 qfi" {
			frame = f
		}
	}
	old := datapathtest.FrameSessions()[0]
	moved := old.Clone()
	gnb := netip.MustParseAddr("192.0.2.99")
	moved.FARs[1].Outer.Peer = gnb
	Must(t, d.Apply([]datapath.Change{{Old: old, New: moved}}))
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline) && !answered(t, l.N3, gnb); {
	}
	time.Sleep(50 * time.Millisecond) // the kernel tells what it has resolved
	for range switched {
		_, err := l.N6.Send([][]byte{frame.Input(t)})
		Must(t, err)
		time.Sleep(time.Millisecond) // the pace
	}
	arrived := len(resolved(t, l.N3, gnb, switched))
	if arrived != switched {
		t.Errorf("%d of %d packets reached the gNB after the path switch", arrived, switched)
	}
}

// answered takes a frame, and answers it where somebody asks for the gNB.
func answered(t *testing.T, p *tpacket.Port, gnb netip.Addr) bool {
	f := p.Next()
	if f == nil {
		Must(t, tpacket.Wait(10*time.Millisecond, p))
		return false
	}
	reply := arpReply(f, gnb)
	p.Release()
	if reply == nil {
		return false
	}
	_, err := p.Send([][]byte{reply})
	Must(t, err)
	return true
}

// arpReply is what an address answers to a frame that asks for it (RFC 826); nil: it asks for none.
func arpReply(frame []byte, address netip.Addr) []byte {
	const at = 14
	if len(frame) < at+28 || binary.BigEndian.Uint16(frame[12:]) != 0x0806 || frame[at+7] != 1 ||
		netip.AddrFrom4([4]byte(frame[at+24:at+28])) != address {
		return nil
	}
	mac := []byte{2, 0, 0, 0, 3, 99}
	b := append(slices.Clone(frame[6:12]), mac...)
	b = append(b, frame[12:at+6]...)
	b = append(append(b, 0, 2), mac...)
	b = append(b, frame[at+24:at+28]...)
	return append(b, frame[at+8:at+18]...)
}
