package datapathtest

import (
	"net/netip"

	"github.com/upflab/upflab/upf/session"
)

// filtered gives a session PDRs with SDF filters, in an order that is not that of their
// precedence. Uplink, on one TEID:
//
//	precedence 5   ESP with SPI 0x1000                              gate closed
//	precedence 10  UDP to 198.51.100.0/24, ports 1230-1240 or 53    forwarded
//	precedence 20  TCP to port 80, or from ports 5000-5999          forwarded
//	precedence 30  QFI 3 or 5                                       forwarded
//	precedence 40  UDP                                              dropped
//
// Downlink:
//
//	precedence 10  UDP from port 1234                               QFI 5, reflective QoS
//	precedence 20  type of service 0xb8 under 0xfc                  QFI 7
//	precedence 30  from 198.51.100.2 to 10.45.0.9, AH SPI 0x2000    no QFI
func filtered(r *session.Rules) {
	up, down := r.PDRs[0], r.PDRs[1]
	up.PDI.UE = r.PDRs[0].PDI.UE
	r.FARs = append(r.FARs, session.FAR{ID: 3, Action: session.Drop})
	r.QERs = []session.QER{
		{ID: 1}, {ID: 5, QFI: 5, RQI: true, GateUL: true, GateDL: true}, {ID: 7, QFI: 7, GateUL: true, GateDL: true},
	}
	r.PDRs = []session.PDR{
		rule(up, 40, 3, nil, session.Filter{Protocol: 17, HasProtocol: true}),
		rule(up, 10, 1, nil, session.Filter{Protocol: 17, HasProtocol: true, Remote: netip.MustParsePrefix("198.51.100.0/24"),
			RemotePorts: []session.Ports{{Low: 1230, High: 1240}, {Low: 53, High: 53}}}),
		rule(up, 20, 1, nil,
			session.Filter{Protocol: 6, HasProtocol: true, RemotePorts: []session.Ports{{Low: 80, High: 80}}},
			session.Filter{Protocol: 6, HasProtocol: true, LocalPorts: []session.Ports{{Low: 5000, High: 5999}}}),
		rule(up, 5, 1, []uint32{1}, session.Filter{Protocol: 50, HasProtocol: true, SPI: 0x1000, HasSPI: true}),
		rule(up, 30, 1, nil),
		rule(down, 110, 2, []uint32{5}, session.Filter{Protocol: 17, HasProtocol: true, RemotePorts: []session.Ports{{Low: 1234, High: 1234}}}),
		rule(down, 130, 2, nil, session.Filter{Remote: netip.MustParsePrefix("198.51.100.2/32"), Local: netip.MustParsePrefix("10.45.0.9/32"),
			Protocol: 51, HasProtocol: true, SPI: 0x2000, HasSPI: true}),
		rule(down, 120, 2, []uint32{7}, session.Filter{TOS: 0xb8, TOSMask: 0xfc}),
	}
	r.PDRs[4].PDI.QFIs = session.QFIs(3, 5)
}

// rule is a PDR like another, with filters. Its ID is its precedence.
func rule(like session.PDR, precedence uint32, far uint32, qers []uint32, filters ...session.Filter) session.PDR {
	like.ID, like.Precedence, like.FAR, like.QERs = uint16(precedence), precedence, far, qers
	like.PDI.Filters = filters
	return like
}
