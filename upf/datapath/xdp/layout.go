package xdp

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// entryOf is a chain's entry. Of one with rows, the rule's number is still to come.
func entryOf(seid uint64, c *plan.Chain) *entry {
	e := &entry{seid: seid, pdr: c.PDR, from: c.Key.Source, key: keyOf(c.Key)}
	switch {
	case !c.Plain() || relays(c) || c.Key.IsFramed():
		e.chain, e.rule = &chain{}, ruleOf(0, verdictChain, chainKind(c))
	case c.Key.Source == session.Access && c.Key.IPv6:
		e.chain = &chain{chainExtras: &chainExtras{ue: c.Rows[0].UE}}
		e.rule = ruleOf(0, verdict(&c.Rows[0]), onlyQFI(&c.Rows[0]))
	case c.Key.Source == session.Access:
		e.rule = plainUplink(&c.Rows[0])
	default:
		e.rule = plainDownlink(&c.Rows[0])
	}
	return e
}

// keyOf is a chain's key as the rule maps have it.
func keyOf(k plan.Key) (x key) {
	x.source, x.ipv6 = session.Core, k.IPv6
	switch {
	case k.IsTunnel():
		x.source = session.Access // N9, too
		binary.BigEndian.PutUint32(x.id[:], k.TEID)
	case k.IPv6:
		x.bits, x.id = uint8(k.UE.Bits()), k.UE.Addr().As16()
	case k.IsFramed():
		x.bits, x.id = uint8(k.UE.Bits()+96), k.UE.Addr().As16()
	default:
		a := k.UE.Addr().As4()
		copy(x.id[:], a[:])
	}
	return x
}

// relays reports whether packets go from a tunnel into a tunnel, or may.
func relays(c *plan.Chain) bool {
	into := func(r plan.Row) bool { return r.Relays() }
	return c.Key.IsTunnel() && (c.Key.Source == session.Core || slices.ContainsFunc(c.Rows, into))
}

// The values of CHAIN_DOWNLINK and CHAIN_RELAYS in bpf/rules.h.
const (
	chainDownlink = 1 << iota
	chainRelays
)

func chainKind(c *plan.Chain) (kind uint8) {
	if !c.Key.IsTunnel() {
		return 0
	}
	if c.Key.Source == session.Core {
		kind |= chainDownlink
	}
	if relays(c) {
		kind |= chainRelays
	}
	return kind
}

func plainUplink(r *plan.Row) ruleWord {
	ue := uint32(0)
	if r.UE.IsValid() {
		ue = wire(r.UE.Addr())
	}
	return ruleOf(ue, verdict(r), onlyQFI(r))
}

// onlyQFI is the one that a plain row wants, 0 for none.
func onlyQFI(r *plan.Row) uint8 {
	if r.QFIs == 0 {
		return 0
	}
	return uint8(bits.TrailingZeros64(uint64(r.QFIs)))
}

func plainDownlink(r *plan.Row) ruleWord {
	switch {
	case r.Outer == nil:
		return ruleOf(0, verdict(r), 0)
	case r.Outer.Peer.Is6():
		return ruleOf(wireTEID(r.Outer.TEID), verdictOuter6, mark(r))
	}
	return ruleOf(wireTEID(r.Outer.TEID), verdict(r), mark(r))
}

// The values of VERDICT_FORWARD, VERDICT_DROP, VERDICT_OUTER6, VERDICT_HOLD and VERDICT_CHAIN in bpf/rules.h, of
// ROW_METERS and ROW_USAGES in bpf/chain.h, and the RQI and PPP of a PDU session container.
const (
	verdictForward = 0
	verdictDrop    = 1
	verdictOuter6  = 253
	verdictHold    = 254
	verdictChain   = 255
	maxMeters      = 3
	maxUsages      = 4
	rqi            = 0x40
	ppp            = 0x80
)

func verdict(r *plan.Row) uint8 {
	if r.Dropped {
		return verdictDrop + uint8(r.Reason)
	}
	return verdictForward
}

// mark is the QFI that a downlink packet is marked with, and the RQI.
func mark(r *plan.Row) uint8 {
	if r.RQI && r.QFI != 0 {
		return r.QFI | rqi
	}
	return r.QFI
}

// ruleWord is an upfUlRule or an upfDlRule as it is in memory, in little-endian order: what is
// compared with or the TEID, the verdict, the QFI, and the peer of a downlink rule. The rule of
// IPv6 uplink packets has a prefix besides.
type ruleWord uint64

func ruleOf(low uint32, verdict, qfi uint8) ruleWord {
	return ruleWord(low) | ruleWord(verdict)<<32 | ruleWord(qfi)<<40
}

func (w ruleWord) verdict() uint8 { return uint8(w >> 32) }

// withPeer is a downlink rule with the slot of its gNB.
func (w ruleWord) withPeer(slot uint16) ruleWord { return w&(1<<48-1) | ruleWord(slot)<<48 }

// withChain is a rule with the number of its chain.
func (w ruleWord) withChain(number uint32) ruleWord { return w>>32<<32 | ruleWord(number) }

// The values of enum row_flags in bpf/chain.h.
const (
	rowProtocol = 1 << iota
	rowPorts
	rowSPI
	rowRelay
	rowOuter6
	rowExit
	rowAll
	rowCopy
)

// layOut is a row as the programs compare packets with it, but for its tunnel and its
// meters.
func layOut(p *plan.Row, ipv6 bool) upfRow {
	f := &p.Filter
	r := upfRow{Qfis: uint64(p.QFIs), Verdict: verdict(p), Tos: f.TOS & f.TOSMask, TosMask: f.TOSMask,
		Entrance: uint8(p.Removal), RemoteHigh: 0xffff, LocalHigh: 0xffff}
	if !ipv6 {
		if p.UE.IsValid() {
			r.Ue, r.UeMask = wirePrefix(p.UE)
		}
		r.Remote, r.RemoteMask = wirePrefix(f.Remote)
		r.Local, r.LocalMask = wirePrefix(f.Local)
	}
	if f.MatchesAll() && !ipv6 {
		r.Flags |= rowAll
	}
	if f.HasProtocol {
		r.Flags, r.Protocol = r.Flags|rowProtocol, f.Protocol
	}
	if f.HasSPI {
		r.Flags, r.Spi = r.Flags|rowSPI, binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, f.SPI))
	}
	if len(f.RemotePorts) > 0 {
		r.Flags, r.RemoteLow, r.RemoteHigh = r.Flags|rowPorts, f.RemotePorts[0].Low, f.RemotePorts[0].High
	}
	if len(f.LocalPorts) > 0 {
		r.Flags, r.LocalLow, r.LocalHigh = r.Flags|rowPorts, f.LocalPorts[0].Low, f.LocalPorts[0].High
	}
	return r
}

// layOutTunnel adds the tunnel that a row's packets go into, whose peer has a slot.
func layOutTunnel(r *upfRow, p *plan.Row, slot uint16, fromTunnel bool) {
	o := p.Outer
	r.Peer, r.Teid, r.Qfi, r.Marking = slot, wireTEID(o.TEID), mark(p), p.Marking
	if ppi, has := p.PPI.Value(); has && (p.QFI != 0 || fromTunnel) {
		r.Qfi, r.Exit = r.Qfi|ppp, ppi
	}
	switch {
	case p.Exits():
		r.Flags, r.Exit, r.Teid, r.Qfi = r.Flags|rowExit, uint8(o.Kind), uint32(o.Port<<8|o.Port>>8), 0
	case fromTunnel:
		r.Flags |= rowRelay
	}
	if o.Peer.Is6() {
		r.Flags |= rowOuter6
	}
}

// layOut6 is a row for IPv6 packets.
func layOut6(common *upfRow, p *plan.Row) upfRow6 {
	r := upfRow6{Row: *common}
	r.Ue, r.UeMask = wirePrefix6(p.UE)
	r.Remote, r.RemoteMask = wirePrefix6(p.Filter.Remote)
	r.Local, r.LocalMask = wirePrefix6(p.Filter.Local)
	if p.Filter.HasFlowLabel {
		r.Label, r.LabelMask = p.Filter.FlowLabel, 1<<20-1
	}
	return r
}

// wire gives an IPv4 address as the programs read it from a packet.
func wire(a netip.Addr) uint32 {
	b := a.As4()
	return binary.NativeEndian.Uint32(b[:])
}

func poolOf(p netip.Prefix) upfPool {
	var mask [4]byte
	binary.BigEndian.PutUint32(mask[:], ^uint32(0)<<(32-p.Bits()))
	return upfPool{Address: wire(p.Masked().Addr()), Mask: binary.NativeEndian.Uint32(mask[:])}
}

// wirePrefix is a prefix's address and mask as the programs read them; 0 for any.
func wirePrefix(p netip.Prefix) (address, mask uint32) {
	if !p.IsValid() {
		return 0, 0
	}
	pool := poolOf(p)
	return pool.Address, pool.Mask
}

func wireTEID(teid uint32) uint32 {
	return binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, teid))
}

// wire6 gives an address as the programs read it from a packet.
func wire6(b [16]byte) upfAddr6 {
	return upfAddr6{Word: [2]uint64{binary.NativeEndian.Uint64(b[:8]), binary.NativeEndian.Uint64(b[8:])}}
}

// wirePrefix6 is a prefix's address and mask as the programs read them; 0 for any.
func wirePrefix6(p netip.Prefix) (address, mask upfAddr6) {
	if !p.IsValid() {
		return address, mask
	}
	var b [16]byte
	for i := range p.Bits() {
		b[i/8] |= 0x80 >> (i % 8)
	}
	return wire6(p.Masked().Addr().As16()), wire6(b)
}
