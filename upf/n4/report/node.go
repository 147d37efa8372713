package report

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/tally"
)

// Flags of a Node Report Type (TS 29.244 clause 8.2.69).
const (
	NodeReportUPFR = 1 << 0 // a path failed
	NodeReportUPRR = 1 << 1 // a path is back
)

// Path tells the CP functions that have sessions with the peer what became of its path.
func (r *Reports) Path(peer netip.Addr, kind byte, typ uint16) {
	what := pfcp.Group(typ, remotePeerIE(peer))
	for _, a := range r.Sessions.AssociationsOf(r.Sessions.Remotes.At(peer)) {
		r.send(r.Associations.Contact(a), time.Now(), func(sequence uint32) []byte {
			return pfcp.Encode(pfcp.NodeReportRequest, 0, sequence, r.NodeID, ie.New(ie.NodeReportType, []byte{kind}), what)
		})
		r.Count(func(c *tally.Counters) { c.NodeReports++ })
	}
}

// remotePeerIE is a Remote GTP-U Peer (clause 8.2.70).
func remotePeerIE(peer netip.Addr) *ie.IE {
	const hasIPv6, hasIPv4 = 1 << 0, 1 << 1
	flags := byte(hasIPv4)
	if !peer.Is4() {
		flags = hasIPv6
	}
	return ie.New(ie.RemoteGTPUPeer, append([]byte{flags}, peer.AsSlice()...))
}

// reportTypeError is ERIR of a Report Type (TS 29.244 clause 8.2.21).
const reportTypeError = 1 << 2

// IndicationEvery is the least time between two reports of a session: each packet that
// is sent into a tunnel that is gone leads to an Error Indication.
const IndicationEvery = time.Second

// remoteFTEID is the F-TEID (clause 8.2.3) of another node.
func remoteFTEID(teid uint32, at netip.Addr) *ie.IE {
	const hasIPv4, hasIPv6 = 1 << 0, 1 << 1
	flags := byte(hasIPv4)
	if !at.Is4() {
		flags = hasIPv6
	}
	b := binary.BigEndian.AppendUint32([]byte{flags}, teid)
	return ie.New(ie.FTEID, append(b, at.AsSlice()...))
}
