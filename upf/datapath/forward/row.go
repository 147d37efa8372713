package forward

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// row is a plan.Row for packets: addresses and masks as numbers.
type row struct {
	ue, ueMask             uint32 // the inner source; 0: any
	qfis                   session.QFISet
	remote, remoteMask     uint32
	local, localMask       uint32
	six                    *row6 // of an IPv6 packet; then the addresses are here
	remotePorts, localPort session.Ports
	hasPorts               bool
	protocol, tos, tosMask uint8
	hasProtocol, hasSPI    bool
	spi                    uint32
	removal                session.Encapsulation

	verdict Verdict
	tunnel  *Tunnel // nil: the T-PDU leaves by N6,
	exit    *Exit   // in a tunnel there, or plain
	from    session.Interface
	relays  *relays // of packets that come by a tunnel and leave by one
	meters  []*meter
	usages  []*usage
	quotas  []*usage  // those of them that drop packets when nothing is left
	instead []instead // rows of quota actions, the first that holds goes
	seid    uint64
	pdr     uint16
	held    bool
	copied  bool
}

// instead is a row that goes for another one when a quota is used up.
type instead struct {
	of *usage
	*row
}

// inEffect is the row that the packets of a row go by.
func (r *row) inEffect() *row {
	for i := range r.instead {
		if r.instead[i].of.isUsedUp() {
			return r.instead[i].row
		}
	}
	return r
}

func rowOf(p *plan.Row, ipv6 bool) row {
	f := &p.Filter
	r := row{
		qfis: p.QFIs, removal: p.Removal, protocol: f.Protocol, hasProtocol: f.HasProtocol, tos: f.TOS & f.TOSMask, tosMask: f.TOSMask,
		pdr: p.PDR, held: p.Held, copied: p.Copied, spi: f.SPI, hasSPI: f.HasSPI, verdict: Forward, remotePorts: anyPort, localPort: anyPort,
	}
	if ipv6 {
		r.six = row6Of(p)
	} else {
		r.ue, r.ueMask = numbers(p.UE)
		r.remote, r.remoteMask = numbers(f.Remote)
		r.local, r.localMask = numbers(f.Local)
	}
	if len(f.RemotePorts) > 0 {
		r.remotePorts, r.hasPorts = f.RemotePorts[0], true
	}
	if len(f.LocalPorts) > 0 {
		r.localPort, r.hasPorts = f.LocalPorts[0], true
	}
	if p.Dropped {
		r.verdict = Drop(p.Reason)
	} else if o := p.Outer; p.Exits() {
		r.exit = &Exit{Kind: o.Kind, Peer: o.Peer, Port: o.Port, Marking: p.Marking}
	} else if o != nil {
		r.tunnel = &Tunnel{TEID: o.TEID, QFI: p.QFI, RQI: p.RQI, PPI: p.PPI, Marking: p.Marking}
		if o.Peer.Is4() {
			r.tunnel.Peer = o.Peer.As4()
		} else {
			r.tunnel.Peer6 = o.Peer
		}
	}
	return r
}

var anyPort = session.Ports{Low: 0, High: 0xffff}

func number(a netip.Addr) uint32 {
	b := a.As4()
	return binary.BigEndian.Uint32(b[:])
}

// numbers are a prefix's address and mask, both 0 for any address.
func numbers(p netip.Prefix) (address, mask uint32) {
	if !p.IsValid() {
		return 0, 0
	}
	mask = uint32(^uint64(0) << (32 - p.Bits()))
	return number(p.Addr()) & mask, mask
}

// isUE reports whether the packet may be the row's by its UE.
func (r *row) isUE(f *flow) bool {
	if r.six != nil {
		return f.local6.under(r.six.ueMask) == r.six.ue
	}
	return f.local&r.ueMask == r.ue
}

// matches reports whether a packet of the row's UE is the row's.
func (r *row) matches(f *flow) bool {
	return r.removal == f.removal && (r.qfis == 0 || f.hasQFI && r.qfis.Has(f.qfi)) &&
		f.remote&r.remoteMask == r.remote && f.local&r.localMask == r.local && (r.six == nil || r.six.matches(f)) &&
		(!r.hasProtocol || r.protocol == f.protocol) && f.tos&r.tosMask == r.tos &&
		(!r.hasSPI || f.hasSPI && f.spi == r.spi) &&
		(!r.hasPorts || f.hasPorts && within(f.remotePort, r.remotePorts) && within(f.localPort, r.localPort))
}

func within(port uint16, p session.Ports) bool { return port >= p.Low && port <= p.High }

// row6 is what a row compares of an IPv6 packet alone.
type row6 struct {
	ue, ueMask         address6 // the inner source
	remote, remoteMask address6
	local, localMask   address6
	label              uint32
	hasLabel           bool
}

func row6Of(p *plan.Row) *row6 {
	r := &row6{label: p.Filter.FlowLabel, hasLabel: p.Filter.HasFlowLabel}
	r.ue, r.ueMask = prefixNumbers(p.UE)
	r.remote, r.remoteMask = prefixNumbers(p.Filter.Remote)
	r.local, r.localMask = prefixNumbers(p.Filter.Local)
	return r
}

// prefixNumbers are a prefix's address and mask, both 0 for any address.
func prefixNumbers(p netip.Prefix) (address, mask address6) {
	if !p.IsValid() {
		return address, mask
	}
	mask = mask6(p.Bits())
	return numbers6(p.Addr().As16()).under(mask), mask
}

func (r *row6) matches(f *flow) bool {
	return f.remote6.under(r.remoteMask) == r.remote && f.local6.under(r.localMask) == r.local && (!r.hasLabel || f.label == r.label)
}
