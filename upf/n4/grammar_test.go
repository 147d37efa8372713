package n4

import (
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/request"
)

// choices turns the octets of a fuzzer, or of a random source, into decisions.
// When they are used up every decision is 0.
type choices []byte

// n decides among 0..k-1, k at most 256.
func (c *choices) n(k int) int {
	if len(*c) == 0 {
		return 0
	}
	v := int((*c)[0]) % k
	*c = (*c)[1:]
	return v
}

// one is true with a probability of 1/k, and when the octets are used up never.
func (c *choices) one(k int) bool { return len(*c) > 0 && c.n(k) == k-1 }

func (c *choices) octets(n int) []byte {
	n = min(n, len(*c))
	b := (*c)[:n]
	*c = (*c)[n:]
	return b
}

// grammar writes the IEs of requests: mostly such as an SMF sends, with few
// values of each kind, so that they meet, and with faults.
type grammar struct {
	pfcp.Builder
	c *choices
}

var n3 = netip.MustParseAddr("198.18.0.1")

// session writes the rules of a whole session.
func (g *grammar) session() {
	far, qer := byte(1+g.c.n(2)), byte(1+g.c.n(2))
	g.group(ie.CreatePDR, func() {
		g.id16(ie.PDRID, 1)
		g.IE32(ie.Precedence, 255)
		g.group(ie.PDI, func() { g.IE(ie.SourceInterface, 0); g.fteid(); g.ue() })
		g.IE(ie.OuterHeaderRemoval, 0)
		g.IE32(ie.FARID, uint32(far))
		g.IE32(ie.QERID, uint32(qer))
	})
	g.group(ie.CreatePDR, func() {
		g.id16(ie.PDRID, 2)
		g.IE32(ie.Precedence, 255)
		g.group(ie.PDI, func() { g.IE(ie.SourceInterface, 1); g.ue() })
		g.IE32(ie.FARID, 3)
	})
	g.group(ie.CreateFAR, func() {
		g.IE32(ie.FARID, uint32(far))
		g.IE(ie.ApplyAction, 2)
		g.group(ie.ForwardingParameters, func() { g.IE(ie.DestinationInterface, 1) })
	})
	g.group(ie.CreateFAR, func() {
		g.IE32(ie.FARID, 3)
		g.IE(ie.ApplyAction, 2)
		g.group(ie.ForwardingParameters, func() { g.IE(ie.DestinationInterface, 0); g.tunnel() })
	})
	g.group(ie.CreateQER, func() { g.IE32(ie.QERID, uint32(qer)); g.IE(ie.GateStatus, 0) })
}

// change writes what an SMF changes in such a session.
func (g *grammar) change() {
	uplink := func() { g.IE(ie.SourceInterface, 0); g.fteid(); g.ue() }
	switch g.c.n(5) {
	case 0: // a handover
		g.group(ie.UpdateFAR, func() {
			g.IE32(ie.FARID, 3)
			g.group(ie.UpdateForwardingParameters, func() { g.tunnel(); g.IE(ie.PFCPSMReqFlags, 2) })
		})
	case 1: // another F-TEID
		g.group(ie.UpdatePDR, func() { g.id16(ie.PDRID, 1); g.group(ie.PDI, uplink) })
	case 2:
		g.group(ie.CreatePDR, func() {
			g.id16(ie.PDRID, 3+g.id())
			g.IE32(ie.Precedence, 1)
			g.group(ie.PDI, uplink)
			g.IE(ie.OuterHeaderRemoval, 0)
			g.IE32(ie.FARID, 3)
		})
	case 3:
		g.group(ie.RemovePDR, func() { g.id16(ie.PDRID, 3+g.id()) })
	case 4:
		g.group(ie.UpdateFAR, func() { g.IE32(ie.FARID, 3); g.IE(ie.ApplyAction, byte(1<<g.c.n(4))) })
	}
}

// rules writes IEs that create, change and remove rules, in any order.
func (g *grammar) rules(n int) {
	kinds := []func(){
		func() { g.pdr(ie.CreatePDR) }, func() { g.pdr(ie.UpdatePDR) }, func() { g.pdr(ie.UpdatePDR) },
		func() { g.far(ie.CreateFAR, ie.ForwardingParameters) }, func() { g.far(ie.UpdateFAR, ie.UpdateForwardingParameters) },
		func() { g.qer(ie.CreateQER) }, func() { g.qer(ie.UpdateQER) },
		func() { g.group(ie.RemovePDR, func() { g.id16(ie.PDRID, g.id()) }) },
		func() { g.group(ie.RemoveFAR, func() { g.IE32(ie.FARID, uint32(g.id())) }) },
		func() { g.group(ie.RemoveQER, func() { g.IE32(ie.QERID, uint32(g.id())) }) },
		func() { g.urr(ie.CreateURR) }, func() { g.urr(ie.CreateURR) }, func() { g.urr(ie.UpdateURR) },
		func() { g.group(ie.RemoveURR, func() { g.IE32(ie.URRID, uint32(g.id())) }) },
		func() { g.group(ie.QueryURR, func() { g.IE32(ie.URRID, uint32(g.id())) }) },
		func() { g.bar(ie.CreateBAR) }, func() { g.bar(ie.UpdateBARWithinSessionModificationRequest) },
		func() { g.group(ie.RemoveBAR, func() { g.IE(ie.BARID, g.id()) }) },
		g.other,
	}
	for range n {
		kinds[g.c.n(len(kinds))]()
	}
}

func (g *grammar) pdr(typ uint16) {
	g.group(typ, func() {
		g.id16(ie.PDRID, g.id())
		g.often(typ == ie.CreatePDR, func() { g.IE32(ie.Precedence, uint32(g.c.n(4))) })
		g.often(true, func() { g.group(ie.PDI, g.pdi) })
		g.often(typ == ie.CreatePDR, func() { g.IE32(ie.FARID, uint32(g.id())) })
		g.often(false, func() { g.IE32(ie.QERID, uint32(g.id())) })
		g.often(false, func() { g.IE(ie.OuterHeaderRemoval, byte(g.c.n(8))) })
		g.often(false, func() { g.IE(ie.QERID) })
		g.often(false, func() { g.IE32(ie.URRID, uint32(g.id())) })
	})
}

func (g *grammar) pdi() {
	g.often(true, func() { g.IE(ie.SourceInterface, byte(g.c.n(3))) })
	if g.c.one(8) {
		g.IE(ie.TrafficEndpointID, byte(g.c.n(3)))
	} else {
		g.often(true, g.fteid)
		g.often(true, g.ue)
	}
	g.often(false, func() { g.IE(ie.QFI, byte(g.c.n(70))) })
	g.often(false, func() { g.IE(ie.SDFFilter, g.c.octets(g.c.n(9))...) })
	g.often(false, g.filter)
}

func (g *grammar) far(typ, parameters uint16) {
	g.group(typ, func() {
		g.IE32(ie.FARID, uint32(g.id()))
		g.often(true, func() { g.IE(ie.ApplyAction, byte(1<<g.c.n(5))) })
		g.often(false, func() { g.IE(ie.BARID, g.id()) })
		g.often(true, func() {
			g.group(parameters, func() {
				g.often(true, func() { g.IE(ie.DestinationInterface, byte(g.c.n(3))) })
				g.often(true, g.tunnel)
				g.often(false, func() { g.IE(ie.PFCPSMReqFlags, 2) })
			})
		})
	})
}

func (g *grammar) qer(typ uint16) {
	g.group(typ, func() {
		g.IE32(ie.QERID, uint32(g.id()))
		g.often(true, func() { g.IE(ie.GateStatus, byte(g.c.n(16))) })
		g.often(false, func() { g.IE(ie.QFI, byte(g.c.n(70))) })
		g.often(false, func() { g.IE(ie.MBR, g.c.octets(g.c.n(12))...) })
	})
}

// filter writes an SDF filter: by its text, by its ID, or both, and mostly a right one.
func (g *grammar) filter() {
	texts := []string{
		"permit out ip from any to assigned", "permit out 17 from 198.51.100.0/24 53,1000-2000 to any 7",
		"permit in tcp from any to 192.0.2.1 80",
		"permit out 58 from 2001:db8::/32 to assigned", "deny out ip from any to any", "permit out ip from any",
	}
	flags := byte(g.c.n(32))
	at := g.Open(ie.SDFFilter)
	g.Octets(flags, 0)
	if flags&request.SDFFD != 0 {
		text := texts[g.c.n(len(texts))]
		g.Octets(0, byte(len(text)))
		g.Octets([]byte(text)...)
	}
	for i, size := range []int{2, 4, 3, 4} {
		if flags&(request.SDFTTC<<i) != 0 {
			g.Octets(make([]byte, size-1)...)
			g.Octets(byte(g.c.n(3)))
		}
	}
	g.Close(at)
}

func (g *grammar) urr(typ uint16) {
	g.group(typ, func() {
		g.IE32(ie.URRID, uint32(g.id()))
		g.often(true, func() { g.IE(ie.MeasurementMethod, byte(1+g.c.n(4))) })
		g.often(true, func() { g.IE(ie.ReportingTriggers, byte(1<<g.c.n(6))&0x17, byte(g.c.n(4)), 0) })
		g.often(true, func() { g.volume(ie.VolumeThreshold) })
		g.often(true, func() { g.IE32(ie.MeasurementPeriod, uint32(g.c.n(20))) })
		g.often(true, func() { g.IE32(ie.TimeThreshold, uint32(g.c.n(20))) })
		g.often(false, func() { g.volume(ie.VolumeQuota) })
		g.often(false, func() { g.IE32(ie.TimeQuota, uint32(g.c.n(20))) })
		g.often(false, func() { g.IE32(ie.MonitoringTime, pfcp.Timestamp(time.Unix(1_800_000_000, 0))+uint32(g.c.n(60))) })
		g.often(false, func() { g.volume(ie.SubsequentVolumeThreshold) })
		g.often(false, func() { g.volume(ie.SubsequentVolumeQuota) })
		g.often(false, func() { g.IE(ie.MeasurementInformation, byte(g.c.n(256))) })
	})
}

func (g *grammar) volume(typ uint16) {
	at := g.Open(typ)
	g.Octets(byte(g.c.n(8)))
	for range g.c.n(4) {
		g.Uint64(uint64(g.c.n(256)))
	}
	g.Close(at)
}

func (g *grammar) bar(typ uint16) {
	g.group(typ, func() {
		g.IE(ie.BARID, g.id())
		g.often(false, func() { g.IE(ie.DownlinkDataNotificationDelay, byte(g.c.n(9))) })
		g.often(false, func() { g.IE(ie.SuggestedBufferingPacketsCount, byte(g.c.n(9))) })
	})
}

// other writes what a session rarely has, or never.
func (g *grammar) other() {
	switch g.c.n(6) {
	case 0:
		g.fseid(uint64(g.c.n(4)))
	case 1:
		g.group(ie.CreateURR, func() { g.IE32(ie.URRID, 1) })
	case 2:
		g.endpoint()
	case 3:
		g.IE(uint16(g.c.n(256)), g.c.octets(g.c.n(20))...)
	case 4:
		g.many()
	case 5:
		g.IE(ie.PDNType, byte(g.c.n(6)))
	}
}

// endpoint writes what becomes of a traffic endpoint.
func (g *grammar) endpoint() {
	typ := []uint16{ie.CreateTrafficEndpoint, ie.UpdateTrafficEndpoint, ie.RemoveTrafficEndpoint}[g.c.n(3)]
	g.group(typ, func() {
		g.IE(ie.TrafficEndpointID, byte(g.c.n(3)))
		g.often(typ == ie.CreateTrafficEndpoint, g.fteid)
		g.often(false, g.ue)
	})
}

// many repeats a rule with ever new IDs, or the same one.
func (g *grammar) many() {
	same, pdrs := g.c.one(2), g.c.one(2)
	for i := range 1 << g.c.n(11) {
		if same {
			i = 0
		}
		if pdrs {
			g.chooser(byte(10 + i%200))
			continue
		}
		g.group(ie.CreateQER, func() { g.IE32(ie.QERID, uint32(100+i)); g.IE(ie.GateStatus, 0) })
	}
}

// chooser writes a PDR for which the UP function chooses an F-TEID.
func (g *grammar) chooser(id byte) {
	g.group(ie.CreatePDR, func() {
		g.id16(ie.PDRID, id)
		g.IE32(ie.Precedence, 1)
		g.group(ie.PDI, func() { g.IE(ie.SourceInterface, 0); g.IE(ie.FTEID, 5) })
		g.IE32(ie.FARID, 3)
	})
}

// often writes an IE with a probability of 7/8 or of 1/4, and sometimes twice.
func (g *grammar) often(often bool, write func()) {
	p := g.c.n(16)
	if often && p < 14 || !often && p < 4 {
		write()
	}
	if p == 15 {
		write()
		write()
	}
}

func (g *grammar) group(typ uint16, write func()) {
	at := g.Open(typ)
	write()
	g.Close(at)
}

// id is one of few, so that rules meet.
func (g *grammar) id() byte { return byte(1 + g.c.n(5)) }

func (g *grammar) id16(typ uint16, id byte) { g.IE(typ, 0, id) }

func (g *grammar) fseid(seid uint64) {
	at := g.Open(ie.FSEID)
	g.Octets(2)
	g.Uint64(seid)
	g.Octets(127, 0, 0, byte(1+g.c.n(4)))
	g.Close(at)
}

// fteid asks for a TEID, or gives one of few.
func (g *grammar) fteid() {
	at := g.Open(ie.FTEID)
	defer g.Close(at)
	switch g.c.n(16) {
	case 0, 1, 2, 3, 4, 5:
		g.Octets(5) // CHOOSE
	case 6, 7, 8:
		g.Octets(13, byte(g.c.n(3))) // CHOOSE ID
	case 9:
		g.Octets(g.c.octets(g.c.n(14))...)
	default:
		g.Octets(1)
		g.Uint32(uint32(g.c.n(8)))
		g.Addr(n3)
	}
}

func (g *grammar) ue() {
	g.IE(ie.UEIPAddress, 2, 10, 45, 0, byte(1+g.c.n(24)))
}

func (g *grammar) tunnel() {
	g.IE(ie.OuterHeaderCreation, 1, 0, 0, 0, 0, byte(g.c.n(4)), 192, 0, 2, byte(g.c.n(3)))
}

// smfSet writes what an association says of the SMF's set: mostly nothing.
func (g *grammar) smfSet() {
	if !g.c.one(3) {
		return
	}
	address := func() byte { return byte(1 + g.c.n(4)) }
	g.IE(ie.CPFunctionFeatures, []byte{0x20, 0x20, 0x08, 0x28, 0}[g.c.n(5)])
	g.often(true, func() { g.IE(ie.SMFSetID, 0, 1, 'a'+byte(g.c.n(2))) })
	g.often(false, func() { g.IE(ie.AlternativeSMFIPAddress, 2|byte(g.c.n(2))<<2, 127, 0, 0, address()) })
	g.often(false, func() {
		g.group(ie.PFCPSessionRetentionInformation, func() {
			g.often(false, func() { g.IE(ie.CPPFCPEntityIPAddress, 2, 127, 0, 0, address()) })
		})
	})
}

// nodeIDs are the Node IDs: addresses of peers, and names.
var nodeIDs = [...][]byte{
	{0, 127, 0, 0, 1}, {0, 127, 0, 0, 2}, {2, 3, 's', 'm', 'f'}, {2, 4, 's', 'm', 'f', '2'}, {0, 127, 0, 0, 9}, {3, 1}, {},
}

func (g *grammar) node(of int) {
	if g.c.one(4) {
		of = g.c.n(len(nodeIDs))
	}
	g.IE(ie.NodeID, nodeIDs[of%len(nodeIDs)]...)
}
