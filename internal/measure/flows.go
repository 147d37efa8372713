package measure

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/n4"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// sessions lists what the SMF establishes. Session i has the i-th UE address
// and, by twos, the TEIDs from the first on.
func sessions(s *scenario.Scenario, assign n4.Assign) []n4.Session {
	list := make([]n4.Session, s.Sessions)
	for i := range list {
		list[i] = n4.Session{
			Index: i, UE: nth(s.UE.First, i), QFI: s.QFI, GNB: s.N3.GNB, N3: s.N3.UPF,
			UplinkTEID: s.TEID.Uplink + 2*uint32(i), DownlinkTEID: s.TEID.Downlink + 2*uint32(i),
		}
		if assign == n4.AssignUPF {
			list[i].UplinkTEID = 0
		}
	}
	return list
}

// nth is the i-th address after a, which is IPv4.
func nth(a netip.Addr, i int) netip.Addr {
	b := a.As4()
	binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+uint32(i))
	return netip.AddrFrom4(b)
}

// flow describes one direction's traffic through the sessions.
func flow(s *scenario.Scenario, e dut.Endpoint, established []n4.Established, d scenario.Direction) *traffic.Flow {
	f := &traffic.Flow{
		Direction: d, Payload: s.Payload, QFI: s.QFI, GNB: s.N3.GNB, UPF: s.N3.UPF, DN: s.N6.DN,
		SourcePort: s.UDP.Source, DestinationPort: s.UDP.Destination,
		Expect: traffic.Expect{
			Encapsulated: (d == scenario.Downlink) != e.Wire,
			PSC:          !e.NoPSC,
			Unchanged:    e.Wire,
		},
	}
	for _, x := range established {
		f.Streams = append(f.Streams, traffic.Stream{UE: x.UE, UplinkTEID: x.UplinkTEID, DownlinkTEID: x.DownlinkTEID})
	}
	return f
}

func addrPort(a netip.Addr, port uint16) netip.AddrPort { return netip.AddrPortFrom(a, port) }
