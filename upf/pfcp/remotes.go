package pfcp

import (
	"encoding/binary"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// remotes says which sessions send into which tunnel: for what a gNB, or another UPF,
// says of its tunnels and for paths that fail. It locks itself.
type remotes struct {
	mu    sync.Mutex
	peers map[netip.Addr]*tunnelsAt
}

// tunnelsAt are the tunnels that end at one address, by TEID.
type tunnelsAt struct {
	first map[uint32]uint64          // the UP function's SEID
	more  map[uint32]map[uint64]bool // further sessions with the same tunnel
}

func newRemotes() *remotes { return &remotes{peers: map[netip.Addr]*tunnelsAt{}} }

// replace makes a session's tunnels those of new rules. Either may be nil.
func (r *remotes) replace(old, now *session.Rules, seid uint64) {
	var room [2][2]session.OuterHeader
	before, after := appendTunnels(room[0][:0], old), appendTunnels(room[1][:0], now)
	if slices.Equal(before, after) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range before {
		r.remove(t, seid)
	}
	for _, t := range after {
		r.add(t, seid)
	}
}

func (r *remotes) add(t session.OuterHeader, seid uint64) {
	at := r.peers[t.Peer]
	if at == nil {
		at = &tunnelsAt{first: map[uint32]uint64{}, more: map[uint32]map[uint64]bool{}}
		r.peers[t.Peer] = at
	}
	if _, taken := at.first[t.TEID]; !taken {
		at.first[t.TEID] = seid
		return
	}
	if at.more[t.TEID] == nil {
		at.more[t.TEID] = map[uint64]bool{}
	}
	at.more[t.TEID][seid] = true
}

func (r *remotes) remove(t session.OuterHeader, seid uint64) {
	at := r.peers[t.Peer]
	rest := at.more[t.TEID]
	if at.first[t.TEID] == seid {
		delete(at.first, t.TEID)
		for seid = range rest { // one of them, whichever
			at.first[t.TEID] = seid
			break
		}
	}
	if delete(rest, seid); len(rest) == 0 {
		delete(at.more, t.TEID)
	}
	if len(at.first) == 0 {
		delete(r.peers, t.Peer)
	}
}

// of lists the sessions that send into a tunnel.
func (r *remotes) of(t session.OuterHeader) []uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.peers[t.Peer]
	if at == nil {
		return nil
	}
	return at.sessions(t.TEID)
}

func (at *tunnelsAt) sessions(teid uint32) []uint64 {
	seid, has := at.first[teid]
	if !has {
		return nil
	}
	return slices.AppendSeq([]uint64{seid}, maps.Keys(at.more[teid]))
}

// at lists the sessions with a tunnel that ends at the address.
func (r *remotes) at(peer netip.Addr) (seids []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.peers[peer]
	if at == nil {
		return nil
	}
	for teid := range at.first {
		seids = append(seids, at.sessions(teid)...)
	}
	return seids
}

// Onward lists the tunnels that the packets of a local TEID are forwarded into: those of
// a session that goes on to another UPF, or comes from one.
func (s *Server) Onward(teid uint32) (list []session.OuterHeader) {
	one := s.sessions.get(s.sessions.teids.ownerOf(teid))
	if one == nil {
		return nil
	}
	one.Lock()
	defer one.Unlock()
	rules := one.rules.Rules()
	if rules == nil {
		return nil
	}
	for i := range rules.PDRs {
		p := &rules.PDRs[i]
		if !p.PDI.HasTEID || p.PDI.TEID != teid {
			continue
		}
		far := rules.FindFAR(p.FAR)
		if far.Action&session.Forward != 0 && far.Outer != nil && !far.Outer.Kind.OnN6() && !slices.Contains(list, *far.Outer) {
			list = append(list, *far.Outer)
		}
	}
	return list
}

// all lists the addresses at which tunnels end.
func (r *remotes) all() []netip.Addr {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]netip.Addr, 0, len(r.peers))
	for a := range r.peers {
		list = append(list, a)
	}
	return list
}

// appendTunnels lists the GTP-U tunnels that rules send into, each once.
func appendTunnels(list []session.OuterHeader, r *session.Rules) []session.OuterHeader {
	if r == nil {
		return list
	}
	for i := range r.FARs {
		if o := r.FARs[i].Outer; o != nil && !o.Kind.OnN6() && !slices.Contains(list, *o) {
			list = append(list, *o)
		}
	}
	return list
}

// Peers lists the addresses at which tunnels of sessions end: the paths that a UP
// function supervises.
func (s *Server) Peers() []netip.Addr { return s.sessions.remotes.all() }

// Flags of a Node Report Type (TS 29.244 clause 8.2.69).
const (
	nodeReportUPFR = 1 << 0 // a path failed
	nodeReportUPRR = 1 << 1 // a path is back
)

// PathFailed tells the CP functions that have sessions with the peer that its path does
// not answer any more (clause 6.2.9), PathRecovered that it does again.
func (s *Server) PathFailed(peer netip.Addr) {
	s.log.Warn("a GTP-U peer does not answer", "peer", peer)
	s.reports.path(peer, nodeReportUPFR, ie.UserPlanePathFailureReport)
}

// PathRecovered is the end of a PathFailed.
func (s *Server) PathRecovered(peer netip.Addr) {
	s.log.Info("a GTP-U peer answers again", "peer", peer)
	s.reports.path(peer, nodeReportUPRR, ie.UserPlanePathRecoveryReport)
}

// path tells the CP functions that have sessions with the peer what became of its path.
func (r *reports) path(peer netip.Addr, kind byte, typ uint16) {
	what := pfcp.Group(typ, remotePeerIE(peer))
	for _, a := range r.sessions.associationsOf(r.sessions.remotes.at(peer)) {
		r.send(r.associations.contact(a), time.Now(), func(sequence uint32) []byte {
			return pfcp.Encode(pfcp.NodeReportRequest, 0, sequence, r.nodeID, ie.New(ie.NodeReportType, []byte{kind}), what)
		})
		r.count(func(c *Counters) { c.NodeReports++ })
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

// indicationEvery is the least time between two reports of a session: each packet that
// is sent into a tunnel that is gone leads to an Error Indication.
const indicationEvery = time.Second

// TunnelGone tells the CP functions whose sessions send into the tunnel that its end
// knows nothing of it: it answered by an Error Indication (clause 5.5.3, TS 23.527
// clause 5.3.3.1). It reports whether any session does.
func (s *Server) TunnelGone(tunnel session.OuterHeader, now time.Time) bool {
	seids := s.sessions.remotes.of(tunnel)
	for _, seid := range seids {
		if one := s.sessions.get(seid); one != nil {
			s.reports.gone(one, tunnel, now)
		}
	}
	return len(seids) > 0
}

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
