package livetest

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/session"
)

// reachable is the gNB of the lab.
const reachable = "192.0.2.2"

// NoHosts: a tunnel whose end is a broadcast or multicast address leads nowhere: the datapath refuses it, or
// sends nothing into it. That of a gNB leads there, by the same packets.
func NoHosts(t *testing.T, d datapath.Datapath) {
	l := NewLab(t, d)
	frames := datapathtest.Frames(t)
	sample := frames[slices.IndexFunc(frames, func(f datapathtest.Frame) bool { return f.Name == "n6 qfi" })].Input(t)
	for i, peer := range []string{"192.0.2.255", "198.51.100.255", "255.255.255.255", "224.0.0.1", reachable} {
		ue := netip.AddrFrom4([4]byte{10, 45, 99, byte(i + 1)})
		teid := uint32(0x9900 + i)
		rules := &session.Rules{
			SEID: uint64(teid),
			PDRs: []session.PDR{
				{ID: 1, FAR: 1, RemoveOuterHeader: true, PDI: session.PDI{Source: session.Access, TEID: teid, HasTEID: true, UE: ue}},
				{ID: 2, FAR: 2, PDI: session.PDI{Source: session.Core, UE: ue}},
			},
			FARs: []session.FAR{
				{ID: 1, Action: session.Forward, Destination: session.Core},
				{ID: 2, Action: session.Forward, Destination: session.Access,
					Outer: &session.OuterHeader{TEID: teid, Peer: netip.MustParseAddr(peer)}},
			},
		}
		if err := d.Apply([]datapath.Change{{New: rules}}); err != nil {
			if peer == reachable {
				t.Errorf("a tunnel to %s is refused: %v", peer, err)
			}
			continue
		}
		frame := slices.Clone(sample)
		to := ue.As4()
		copy(frame[30:34], to[:])
		checksum.SealIPv4(frame[14:34])
		_, err := l.N6.Send([][]byte{frame})
		Must(t, err)
		if got := soon(t, l.N3); peer == reachable {
			if got == nil {
				t.Errorf("a packet to %s did not leave", peer)
			}
		} else if got != nil {
			t.Errorf("a packet to %s left as %x", peer, got)
		}
		if got := soon(t, l.N6); got != nil {
			t.Errorf("a packet to %s left by N6 as %x", peer, got)
		}
	}
}
