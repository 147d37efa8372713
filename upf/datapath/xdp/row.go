package xdp

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath/plan"
)

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
	r := upfRow{Qfis: uint64(p.QFIs), Verdict: verdict(p), Tos: f.TOS & f.TOSMask, TosMask: f.TOSMask, Entrance: uint8(p.Removal), RemoteHigh: 0xffff, LocalHigh: 0xffff}
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

// wirePrefix is a prefix's address and mask as the programs read them; 0 for any.
func wirePrefix(p netip.Prefix) (address, mask uint32) {
	if !p.IsValid() {
		return 0, 0
	}
	pool := poolOf(p)
	return pool.Address, pool.Mask
}
