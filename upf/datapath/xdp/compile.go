package xdp

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// ends are the UPF's ends of tunnels, but for that over IPv4 on N3.
type ends struct {
	outer6 bool // it has one over IPv6 there
	n6     datapath.N6Tunnels
}

// check says why an outer header cannot be created.
func (t ends) check(o *session.OuterHeader) error {
	switch {
	case o == nil:
		return nil
	case o.Kind.OnN6():
		return t.n6.Check(o.Kind)
	case !o.Peer.Is4() && !t.outer6:
		return fmt.Errorf("the tunnel's end %v is an IPv6 address, and the UPF has none on N3: set n3.address6", o.Peer)
	}
	return nil
}

// entry is what becomes of the packets with a key; a record is what is kept of it.
type entry struct {
	seid  uint64
	rule  ruleWord
	peer  peerNumber // where the packets of a plain rule go; 0: into no tunnel
	chain *chain     // nil where the rule says it all
	key   key
	from  session.Interface
	pdr   uint16
}

// isChain reports whether the key has a chain of rows.
func (e *entry) isChain() bool { return e.rule.verdict() == verdictChain }

// compiled is an entry, without where in the tables its gNBs and its rows are, and its rows.
type compiled struct {
	*entry
	rows []plan.Row
}

// compile turns a session's rules into map entries, or says which rule the
// datapath cannot carry out (a *session.RuleError).
func compile(r *session.Rules, t ends) ([]compiled, error) {
	if err := r.Validate(session.All); err != nil {
		return nil, err
	}
	for i := range r.FARs {
		if err := t.check(r.FARs[i].Outer); err != nil {
			return nil, &session.RuleError{Kind: session.KindFAR, ID: r.FARs[i].ID, Reason: err.Error()}
		}
	}
	for i := range r.PDRs {
		if err := t.n6.Check(r.PDRs[i].Removal); err != nil {
			return nil, &session.RuleError{Kind: session.KindPDR, ID: uint32(r.PDRs[i].ID), Reason: err.Error()}
		}
	}
	chains, err := plan.Of(r)
	if err != nil {
		return nil, err
	}
	entries := make([]compiled, 0, len(chains))
	for i := range chains {
		if err := refuseExit(&chains[i]); err != nil {
			return nil, err
		}
		e, err := compileChain(r, &chains[i])
		if err != nil {
			return nil, err
		}
		entries = append(entries, compiled{e, chains[i].Rows})
	}
	return entries, nil
}

// refuseExit refuses packets that come from the core by a tunnel and leave by N6: the
// programs would count them as uplink.
func refuseExit(c *plan.Chain) error {
	leaves := func(r plan.Row) bool { return !r.Relays() && !r.Dropped }
	if c.Key.IsTunnel() && c.Key.Source == session.Core && slices.ContainsFunc(c.Rows, leaves) {
		return &session.RuleError{Kind: session.KindPDR, ID: uint32(c.PDR),
			Reason: "datapath.kind xdp forwards packets that come from core by a tunnel into tunnels only: make " +
				"its Source Interface access, or set datapath.kind to afpacket, tun or tap"}
	}
	return nil
}

// relays reports whether packets go from a tunnel into a tunnel, or may.
func relays(c *plan.Chain) bool {
	into := func(r plan.Row) bool { return r.Relays() }
	return c.Key.IsTunnel() && (c.Key.Source == session.Core || slices.ContainsFunc(c.Rows, into))
}

func compileChain(r *session.Rules, c *plan.Chain) (*entry, error) {
	e := &entry{seid: r.SEID, pdr: c.PDR, from: c.Key.Source, key: keyOf(c.Key)}
	switch {
	case !c.Plain() || relays(c) || c.Key.IsFramed():
		e.chain, e.rule = &chain{}, ruleOf(0, verdictChain, chainKind(c))
		return e, checkRows(c)
	case c.Key.Source == session.Access && c.Key.IPv6:
		e.chain = &chain{chainExtras: &chainExtras{ue: c.Rows[0].UE}}
		e.rule = ruleOf(0, verdict(&c.Rows[0]), onlyQFI(&c.Rows[0]))
	case c.Key.Source == session.Access:
		e.rule = plainUplink(&c.Rows[0])
	default:
		e.rule = plainDownlink(&c.Rows[0])
	}
	return e, nil
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

// checkRows refuses rows with more meters or usages than there is room for.
func checkRows(c *plan.Chain) error {
	for i := range c.Rows {
		r := &c.Rows[i]
		if len(r.Meters) > maxMeters {
			return &session.RuleError{Kind: session.KindPDR, ID: uint32(r.PDR),
				Reason: fmt.Sprintf("it names %d QERs with an MBR: this datapath takes %d", len(r.Meters), maxMeters)}
		}
		if len(r.URRs) > maxUsages {
			return &session.RuleError{Kind: session.KindPDR, ID: uint32(r.PDR),
				Reason: fmt.Sprintf("it names %d URRs: this datapath takes %d", len(r.URRs), maxUsages)}
		}
	}
	return nil
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

func wireTEID(teid uint32) uint32 {
	return binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, teid))
}

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

// wirePrefix is a prefix's address and mask as the programs read them; 0 for any.
func wirePrefix(p netip.Prefix) (address, mask uint32) {
	if !p.IsValid() {
		return 0, 0
	}
	pool := poolOf(p)
	return pool.Address, pool.Mask
}
