package smf

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Writer writes the messages of sessions in a dialect. It keeps its buffer, so that writing the next
// message allocates nothing; each goroutine needs its own.
type Writer struct {
	pfcp.Builder
	Dialect
	Instance string     // Network Instance of sessions that do not name one; empty sends none
	N3       netip.Addr // of the UPF, in the F-TEIDs of PDRs that do not name one

	preset preset // the rules of a Session, made anew for each
}

// Establishment writes a Session Establishment Request. The node is the one in Node ID; address is
// that of the CP F-SEID, which is the same unless a case impersonates another node.
func (w *Writer) Establishment(sequence uint32, node netip.Addr, seid uint64, address netip.Addr,
	s *rules.Session) []byte {
	w.Begin(pfcp.Header{Type: pfcp.SessionEstablishmentRequest, Sequence: sequence})
	WriteNodeID(&w.Builder, node)
	WriteFSEID(&w.Builder, seid, address)
	w.Session(s)
	return w.Bytes()
}

// Modification writes a Session Modification Request to the UPF's SEID.
func (w *Writer) Modification(sequence uint32, seid uint64, c *rules.Change) []byte {
	w.Begin(pfcp.Header{Type: pfcp.SessionModificationRequest, SEID: seid, Sequence: sequence})
	w.Change(c)
	return w.Bytes()
}

// Deletion writes a Session Deletion Request to the UPF's SEID.
func (w *Writer) Deletion(sequence uint32, seid uint64) []byte {
	w.Begin(pfcp.Header{Type: pfcp.SessionDeletionRequest, SEID: seid, Sequence: sequence})
	return w.Bytes()
}

// Session writes the rules of an establishment, in the order of table 7.5.2.1-1.
func (w *Writer) Session(s *rules.Session) {
	w.create(s)
	if w.PDNType || s.PDN != 0 {
		w.IE(ie.PDNType, pdn(s))
	}
}

// pdn is the PDN Type of a session.
func pdn(s *rules.Session) byte {
	const v4, v6, v4v6 = 1, 2, 3
	if s.PDN != 0 {
		return s.PDN
	}
	for i := range s.PDRs {
		switch p := &s.PDRs[i]; {
		case p.UE6.IsValid():
			return v4v6
		case p.UE.Is6():
			return v6
		}
	}
	return v4
}

// create writes the rules that a message creates.
func (w *Writer) create(s *rules.Session) {
	r := w.rulesFor(s)
	for i := range s.Endpoints {
		r.endpoint(ie.CreateTrafficEndpoint, &s.Endpoints[i])
	}
	for i := range s.PDRs {
		r.pdr(ie.CreatePDR, &s.PDRs[i])
	}
	for i := range s.FARs {
		r.far(ie.CreateFAR, ie.ForwardingParameters, &s.FARs[i])
	}
	for i := range s.URRs {
		r.urr(ie.CreateURR, &s.URRs[i])
	}
	for i := range s.QERs {
		r.qer(ie.CreateQER, &s.QERs[i])
	}
	for i := range s.BARs {
		r.bar(ie.CreateBAR, &s.BARs[i])
	}
}

// update writes the rules that a modification updates. No case updates a BAR.
func (w *Writer) update(s *rules.Session) {
	r := w.rulesFor(s)
	for i := range s.Endpoints {
		r.endpoint(ie.UpdateTrafficEndpoint, &s.Endpoints[i])
	}
	for i := range s.PDRs {
		r.pdr(ie.UpdatePDR, &s.PDRs[i])
	}
	for i := range s.FARs {
		r.far(ie.UpdateFAR, ie.UpdateForwardingParameters, &s.FARs[i])
	}
	for i := range s.URRs {
		r.urr(ie.UpdateURR, &s.URRs[i])
	}
	for i := range s.QERs {
		r.qer(ie.UpdateQER, &s.QERs[i])
	}
}

// Change writes the rules of a modification: what it removes, creates and updates, in this order.
func (w *Writer) Change(c *rules.Change) {
	for _, id := range c.Remove.PDRs {
		at := w.Open(ie.RemovePDR)
		w.IE(ie.PDRID, byte(id>>8), byte(id))
		w.Close(at)
	}
	w.groups(ie.RemoveFAR, ie.FARID, c.Remove.FARs)
	w.groups(ie.RemoveURR, ie.URRID, c.Remove.URRs)
	w.groups(ie.RemoveQER, ie.QERID, c.Remove.QERs)
	for _, id := range c.Remove.BARs {
		at := w.Open(ie.RemoveBAR)
		w.IE(ie.BARID, byte(id))
		w.Close(at)
	}
	for _, id := range c.Remove.Endpoints {
		at := w.Open(ie.RemoveTrafficEndpoint)
		w.IE(ie.TrafficEndpointID, id)
		w.Close(at)
	}
	w.create(&c.Create)
	w.update(&c.Update)
	if f := requestFlags(c); f != 0 {
		w.IE(ie.PFCPSMReqFlags, f)
	}
	w.groups(ie.QueryURR, ie.URRID, c.Query)
}

// requestFlags are the PFCPSMReq-Flags of a modification (clause 8.2.53).
func requestFlags(c *rules.Change) (f byte) {
	const dropBuffered, queryAll = 1 << 0, 1 << 2
	if c.DropBuffered {
		f |= dropBuffered
	}
	if c.QueryAll {
		f |= queryAll
	}
	return f
}

// groups writes a group with one ID for each of a list.
func (w *Writer) groups(group, id uint16, list []uint32) {
	for _, v := range list {
		at := w.Open(group)
		w.IE32(id, v)
		w.Close(at)
	}
}

// WriteNodeID writes a Node ID that is an address (clause 8.2.38).
func WriteNodeID(m *pfcp.Builder, a netip.Addr) {
	at := m.Open(ie.NodeID)
	m.Octets(family(a, 0, 1))
	m.Addr(a)
	m.Close(at)
}

// WriteFSEID writes an F-SEID (clause 8.2.37).
func WriteFSEID(m *pfcp.Builder, seid uint64, a netip.Addr) {
	const v6, v4 = 1 << 0, 1 << 1
	at := m.Open(ie.FSEID)
	m.Octets(family(a, v4, v6))
	m.Uint64(seid)
	m.Addr(a)
	m.Close(at)
}
