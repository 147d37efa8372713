package datapathtest

import (
	"net/netip"

	"github.com/upflab/upflab/upf/session"
)

// Session makes the rules of the n-th session (1..250): uplink by TEID n, UE
// 10.45.0.n, QFI 1, and downlink to TEID 0x1000+n at 192.0.2.1. A second number, when
// given, is the SEID; otherwise that is n.
func Session(n uint8, seid ...uint64) *session.Rules {
	ue := netip.AddrFrom4([4]byte{10, 45, 0, n})
	r := &session.Rules{
		SEID: uint64(n),
		PDRs: []session.PDR{
			{ID: 1, Precedence: 255, RemoveOuterHeader: true, FAR: 1, QERs: []uint32{1},
				PDI: session.PDI{Source: session.Access, TEID: uint32(n), HasTEID: true, UE: ue}},
			{ID: 2, Precedence: 255, FAR: 2, QERs: []uint32{1},
				PDI: session.PDI{Source: session.Core, UE: ue}},
		},
		FARs: []session.FAR{
			{ID: 1, Action: session.Forward, Destination: session.Core},
			{ID: 2, Action: session.Forward, Destination: session.Access,
				Outer: &session.OuterHeader{TEID: 0x1000 + uint32(n), Peer: netip.AddrFrom4([4]byte{192, 0, 2, 1})}},
		},
		QERs: []session.QER{{ID: 1, QFI: 1, GateUL: true, GateDL: true}},
	}
	if len(seid) > 0 {
		r.SEID = seid[0]
	}
	return r
}
