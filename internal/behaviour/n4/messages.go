package n4

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/behaviour/rules"
	"github.com/upflab/upflab/pfcp"
)

// Begin starts a message with the next sequence number. The SEID is written in those of
// a session only.
func (p *Peer) Begin(w *pfcp.Builder, typ pfcp.MessageType, seid uint64) {
	w.Begin(pfcp.Header{Type: typ, SEID: seid, Sequence: p.seq.Next()})
}

// NodeID writes the IE.
func NodeID(w *pfcp.Builder, a netip.Addr) {
	at := w.Open(ie.NodeID)
	w.Octets(0)
	w.Addr(a)
	w.Close(at)
}

// FSEID writes the IE.
func FSEID(w *pfcp.Builder, seid uint64, a netip.Addr) {
	at := w.Open(ie.FSEID)
	w.Octets(2)
	w.Uint64(seid)
	w.Addr(a)
	w.Close(at)
}

// Heartbeat is a Heartbeat Request.
func (p *Peer) Heartbeat() []byte {
	var w pfcp.Builder
	p.Begin(&w, pfcp.HeartbeatRequest, 0)
	w.IE32(ie.RecoveryTimeStamp, pfcp.Timestamp(p.Started()))
	return w.Bytes()
}

// Setup is an Association Setup Request.
func (p *Peer) Setup() []byte {
	var w pfcp.Builder
	p.Begin(&w, pfcp.AssociationSetupRequest, 0)
	NodeID(&w, p.Node)
	w.IE32(ie.RecoveryTimeStamp, pfcp.Timestamp(p.Started()))
	return w.Bytes()
}

// Release is an Association Release Request.
func (p *Peer) Release() []byte {
	var w pfcp.Builder
	p.Begin(&w, pfcp.AssociationReleaseRequest, 0)
	NodeID(&w, p.Node)
	return w.Bytes()
}

// Establish is a Session Establishment Request from a node, ourselves as a rule.
func (p *Peer) Establish(w *rules.Writer, node netip.Addr, seid uint64, s *rules.Session) []byte {
	p.Begin(&w.Builder, pfcp.SessionEstablishmentRequest, 0)
	NodeID(&w.Builder, node)
	FSEID(&w.Builder, seid, p.Node)
	w.Session(s)
	return append([]byte(nil), w.Bytes()...)
}

// Modify is a Session Modification Request to the UPF's SEID.
func (p *Peer) Modify(w *rules.Writer, seid uint64, c *rules.Change) []byte {
	p.Begin(&w.Builder, pfcp.SessionModificationRequest, seid)
	w.Change(c)
	return append([]byte(nil), w.Bytes()...)
}

// Delete is a Session Deletion Request to the UPF's SEID.
func (p *Peer) Delete(seid uint64) []byte {
	var w pfcp.Builder
	p.Begin(&w, pfcp.SessionDeletionRequest, seid)
	return w.Bytes()
}
