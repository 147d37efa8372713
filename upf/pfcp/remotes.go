package pfcp

import (
	"maps"
	"net/netip"
	"slices"
	"sync"

	"github.com/upflab/upflab/upf/session"
)

// remotes says which sessions send into which tunnel: for what a gNB, or another UPF,
// says of its tunnels and for paths that fail. It locks itself.
type remotes struct {
	mu    sync.Mutex
	first map[session.OuterHeader]uint64          // tunnel to the UP function's SEID
	more  map[session.OuterHeader]map[uint64]bool // further sessions with the same tunnel
	peers map[netip.Addr]int                      // how many tunnels end there
}

func newRemotes() *remotes {
	return &remotes{first: map[session.OuterHeader]uint64{}, more: map[session.OuterHeader]map[uint64]bool{}, peers: map[netip.Addr]int{}}
}

// replace makes a session's tunnels those of new rules. Either may be nil.
func (r *remotes) replace(old, now *session.Rules, seid uint64) {
	before, after := tunnelsOf(old), tunnelsOf(now)
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
	r.peers[t.Peer]++
	if _, taken := r.first[t]; taken {
		if r.more[t] == nil {
			r.more[t] = map[uint64]bool{}
		}
		r.more[t][seid] = true
		return
	}
	r.first[t] = seid
}

func (r *remotes) remove(t session.OuterHeader, seid uint64) {
	if r.peers[t.Peer]--; r.peers[t.Peer] <= 0 {
		delete(r.peers, t.Peer)
	}
	rest := r.more[t]
	if r.first[t] == seid {
		delete(r.first, t)
		for seid = range rest { // one of them, whichever
			r.first[t] = seid
			break
		}
	}
	if delete(rest, seid); len(rest) == 0 {
		delete(r.more, t)
	}
}

// of lists the sessions that send into a tunnel.
func (r *remotes) of(t session.OuterHeader) []uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	seid, has := r.first[t]
	if !has {
		return nil
	}
	return slices.AppendSeq([]uint64{seid}, maps.Keys(r.more[t]))
}

// at lists the sessions with a tunnel that ends at the address.
func (r *remotes) at(peer netip.Addr) (seids []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for t, seid := range r.first {
		if t.Peer == peer {
			seids = slices.AppendSeq(append(seids, seid), maps.Keys(r.more[t]))
		}
	}
	return seids
}

// Onward lists the tunnels that the packets of a local TEID are forwarded into: those of
// a session that goes on to another UPF, or comes from one.
func (s *Server) Onward(teid uint32) (list []session.OuterHeader) {
	seid := s.teids.ownerOf(teid)
	s.mu.Lock()
	one := s.sessions[seid]
	s.mu.Unlock()
	if one == nil {
		return nil
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.rules == nil {
		return nil
	}
	for i := range one.rules.PDRs {
		p := &one.rules.PDRs[i]
		if !p.PDI.HasTEID || p.PDI.TEID != teid {
			continue
		}
		far := one.rules.FindFAR(p.FAR)
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

// tunnelsOf lists the GTP-U tunnels that rules send into, each once.
func tunnelsOf(r *session.Rules) (list []session.OuterHeader) {
	if r == nil {
		return nil
	}
	for i := range r.FARs {
		if o := r.FARs[i].Outer; o != nil && !o.Kind.OnN6() && !slices.Contains(list, *o) {
			list = append(list, *o)
		}
	}
	return list
}
