package datapathtest

import (
	"net/netip"

	"github.com/upflab/upflab/upf/session"
)

// pair6 is a session of an uplink and a downlink PDR by an IPv6 prefix.
func pair6(seid uint64, prefix string, teid uint32, change func(*session.Rules)) *session.Rules {
	return pair(seid, "", teid, func(r *session.Rules) {
		p := netip.MustParsePrefix(prefix)
		r.PDRs[0].PDI.UE6, r.PDRs[1].PDI.UE6 = p, p
		if change != nil {
			change(r)
		}
	})
}

// with6 adds an IPv6 prefix to a session that has an IPv4 address.
func with6(prefix string) func(*session.Rules) {
	return func(r *session.Rules) {
		p := netip.MustParsePrefix(prefix)
		r.PDRs[0].PDI.UE6, r.PDRs[1].PDI.UE6 = p, p
	}
}

// filtered6 is filtered for IPv6. Uplink:
//
//	precedence 5   ESP with SPI 0x1000                  gate closed
//	precedence 10  UDP to 2001:db8:6::/48, port 53      forwarded
//	precedence 20  flow label 0xabcde                   forwarded
//	precedence 30  QFI 5                                forwarded
//	precedence 40  UDP of IPv4                          dropped
//
// Downlink:
//
//	precedence 110  UDP from port 1234                  QFI 5, reflective QoS
//	precedence 120  traffic class 0xb8 under 0xfc       QFI 7
//	precedence 130  AH SPI 0x2000                       no QFI
func filtered6(r *session.Rules) {
	up, down := r.PDRs[0], r.PDRs[1]
	r.FARs = append(r.FARs, session.FAR{ID: 3, Action: session.Drop})
	r.QERs = []session.QER{
		{ID: 1}, {ID: 5, QFI: 5, RQI: true, GateUL: true, GateDL: true}, {ID: 7, QFI: 7, GateUL: true, GateDL: true},
	}
	r.PDRs = []session.PDR{
		rule(up, 40, 3, nil, session.Filter{Protocol: 17, HasProtocol: true, Remote: netip.MustParsePrefix("198.51.100.0/24")}),
		rule(up, 10, 1, nil, session.Filter{Protocol: 17, HasProtocol: true, Remote: netip.MustParsePrefix("2001:db8:6::/48"),
			RemotePorts: []session.Ports{{Low: 53, High: 53}}}),
		rule(up, 20, 1, nil, session.Filter{FlowLabel: 0xabcde, HasFlowLabel: true}),
		rule(up, 5, 1, []uint32{1}, session.Filter{Protocol: 50, HasProtocol: true, SPI: 0x1000, HasSPI: true}),
		rule(up, 30, 1, nil),
		rule(down, 110, 2, []uint32{5}, session.Filter{Protocol: 17, HasProtocol: true, RemotePorts: []session.Ports{{Low: 1234, High: 1234}}}),
		rule(down, 120, 2, []uint32{7}, session.Filter{TOS: 0xb8, TOSMask: 0xfc}),
		rule(down, 130, 2, nil, session.Filter{Protocol: 51, HasProtocol: true, SPI: 0x2000, HasSPI: true}),
	}
	r.PDRs[4].PDI.QFIs = session.QFIs(5)
}

// sessions6 are those of the IPv6 frames.
func sessions6() []*session.Rules {
	return []*session.Rules{
		pair6(13, "2001:db8:45:2::/64", 25, withQER(session.QER{QFI: 1, GateUL: true, GateDL: true})),
		pair(14, "10.45.0.14", 27, with6("2001:db8:45:3::/64")),
		pair6(15, "2001:db8:45:4::/64", 29, filtered6),
		pair6(16, "2001:db8:45:10::/60", 31, nil),
		pair6(17, "2001:db8:45:20::5/128", 33, nil),
		pair6(18, "2001:db8:45:15::/64", 35, nil),
		pair6(19, "2001:db8:45:30::/64", 37, buffered),
		pair6(20, "2001:db8:45:31::/64", 39, counted(session.Limits{})),
		pair6(21, "2001:db8:45:32::/64", 41, counted(session.Limits{Closed: true})),
		pair6(22, "2001:db8:45:33::/64", 43, withQER(session.QER{QFI: 4, GateUL: true, GateDL: true, MBRUL: 1e11, MBRDL: 1e11})),
		pair6(23, "2001:db8:45:34::/64", 45, dropAll),
		pair6(27, "2001:db8:45:35::/64", 53, paged(session.QER{QFI: 2}, session.PPIOf(3))),
	}
}

// Pools are the UE addresses of the frames' sessions.
func Pools() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16"), netip.MustParsePrefix("2001:db8:45::/48")}
}
