package plan

import (
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Row is one way to match a PDR, and what becomes of a packet that does.
type Row struct {
	PDR  uint16
	UE   netip.Prefix // that has the inner source of a packet from the access side; invalid: any
	QFIs session.QFISet
	// Removal is the kind of tunnel that a packet from N6 comes in; GTPU: in none.
	Removal session.Encapsulation
	// Filter has at most one range of remote ports, and one of local ones.
	Filter session.Filter
	Action
	// Instead are the indexes of rows, one after the other, of which the first goes for this one whose Of has no quota left.
	Instead []int
	// Of is set of such a row, which no packet is compared with: the URR with a FAR for the quota action.
	Of *session.URR
}

// Matched is how many of a chain's rows packets are compared with. Those that go for them instead are after them.
func Matched(rows []Row) int {
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.Of != nil }); i >= 0 {
		return i
	}
	return len(rows)
}

// appendInstead adds the rows of a PDR's quota actions, and gives their indexes: one for each URR with a FAR for that.
func appendInstead(rows []Row, r *session.Rules, p *session.PDR) (all []Row, indexes []int) {
	for _, id := range p.URRs {
		u := r.FindURR(id)
		if u.Asked.QuotaFAR == 0 {
			continue
		}
		by := *p
		by.FAR = u.Asked.QuotaFAR
		indexes = append(indexes, len(rows))
		rows = append(rows, Row{PDR: p.ID, Removal: p.Removal, Action: actionOf(r, &by), Of: u})
	}
	return rows, indexes
}

// Action is what becomes of a packet.
type Action struct {
	Dropped bool
	Held    bool                 // dropped here, and handed to who holds it
	Reason  datapath.Reason      // why, when it is dropped
	Outer   *session.OuterHeader // the tunnel that it goes into; nil: none
	Marking uint8                // the type of service of the tunnel's packets
	Copied  bool                 // a copy is handed to who sends it on
	QFI     uint8                // that it is marked with, 0 for none
	RQI     bool
	PPI     session.PPI // of a downlink packet that has a PDU session container
	// Meters are the QERs whose maximum bit rate it has to keep, all of them.
	Meters []*session.QER
	// URRs count it, and their quotas have room for it, all of them but those with a FAR for the quota action: other rows
	// go for this one then.
	URRs []*session.URR
}

func (r *Row) plainMatch() bool {
	return r.Filter.MatchesAll() && r.QFIs&(r.QFIs-1) == 0 && !r.Removal.OnN6() && !(r.UE.IsValid() && r.UE.Addr().Is4() && !r.UE.IsSingleIP())
}

// Relays reports whether the packets go into a GTP-U tunnel.
func (a *Action) Relays() bool { return a.Outer != nil && !a.Outer.Kind.OnN6() }

// Exits reports whether the packets go into a tunnel on N6.
func (a *Action) Exits() bool { return a.Outer != nil && a.Outer.Kind.OnN6() }

// appendRows adds the rows of a PDR: one for each filter and range of ports. Those that
// no packet of the family can match are left out.
func appendRows(rows []Row, r *session.Rules, p *session.PDR, ipv6 bool) []Row {
	row := Row{PDR: p.ID, QFIs: p.PDI.QFIs, Removal: p.Removal, Action: actionOf(r, p)}
	var room [2]netip.Prefix
	sources := p.PDI.Networks(room[:0], ipv6)
	if !p.PDI.HasTEID || len(sources) == 0 {
		return row.appendFiltered(rows, p, ipv6)
	}
	for _, row.UE = range sources {
		rows = row.appendFiltered(rows, p, ipv6)
	}
	return rows
}

// appendFiltered adds a row for each filter and range of ports.
func (r *Row) appendFiltered(rows []Row, p *session.PDR, ipv6 bool) []Row {
	if len(p.PDI.Filters) == 0 && p.PDI.Application == "" {
		return append(rows, *r)
	}
	row := *r
	for i := range p.PDI.Filters {
		f := &p.PDI.Filters[i]
		if !f.Passes(ipv6) {
			continue
		}
		for _, remote := range alternatives(f.RemotePorts) {
			for _, local := range alternatives(f.LocalPorts) {
				row.Filter = *f
				row.Filter.RemotePorts, row.Filter.LocalPorts = remote, local
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// alternatives are the ranges one by one; an empty one when any port will do.
func alternatives(all []session.Ports) (each [][]session.Ports) {
	for i := range all {
		each = append(each, all[i:i+1:i+1])
	}
	if each == nil {
		each = [][]session.Ports{nil}
	}
	return each
}

func actionOf(r *session.Rules, p *session.PDR) (a Action) {
	far := r.FindFAR(p.FAR)
	switch {
	case far.Action&(session.Forward|session.Buffer) == 0 || far.Unaddressed():
		return Action{Dropped: true, Reason: datapath.ReasonFARDrop}
	case !r.IsOpen(p):
		return Action{Dropped: true, Reason: datapath.ReasonGateClosed}
	case far.Action&session.Buffer != 0:
		return Action{Dropped: true, Held: true, Reason: datapath.ReasonBuffered}
	}
	a.Outer, a.Marking, a.Copied = far.Outer, far.Marking, far.Action&session.Duplicate != 0
	a.QFI, a.RQI, a.PPI = r.Mark(p)
	for _, id := range p.QERs {
		if q := r.FindQER(id); q.Limited(p.PDI.Source) {
			a.Meters = append(a.Meters, q)
		}
	}
	for _, id := range p.URRs {
		a.URRs = append(a.URRs, r.FindURR(id))
	}
	return a
}
