package keys

import (
	"maps"
	"net/netip"
	"slices"
	"sync"

	"github.com/upflab/upflab/upf/session"
)

// Remotes says which sessions send into which tunnel: for what a gNB, or another UPF,
// says of its tunnels and for paths that fail. It locks itself.
type Remotes struct {
	mu    sync.Mutex
	Peers map[netip.Addr]*tunnelsAt
}

// tunnelsAt are the tunnels that end at one address, by TEID.
type tunnelsAt struct {
	First map[uint32]uint64          // the UP function's SEID
	more  map[uint32]map[uint64]bool // further sessions with the same tunnel
}

func NewRemotes() *Remotes { return &Remotes{Peers: map[netip.Addr]*tunnelsAt{}} }

// Replace makes a session's tunnels those of new rules. Either may be nil.
func (r *Remotes) Replace(old, now *session.Rules, seid uint64) {
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

func (r *Remotes) add(t session.OuterHeader, seid uint64) {
	at := r.Peers[t.Peer]
	if at == nil {
		at = &tunnelsAt{First: map[uint32]uint64{}, more: map[uint32]map[uint64]bool{}}
		r.Peers[t.Peer] = at
	}
	if _, taken := at.First[t.TEID]; !taken {
		at.First[t.TEID] = seid
		return
	}
	if at.more[t.TEID] == nil {
		at.more[t.TEID] = map[uint64]bool{}
	}
	at.more[t.TEID][seid] = true
}

func (r *Remotes) remove(t session.OuterHeader, seid uint64) {
	at := r.Peers[t.Peer]
	rest := at.more[t.TEID]
	if at.First[t.TEID] == seid {
		delete(at.First, t.TEID)
		for seid = range rest { // one of them, whichever
			at.First[t.TEID] = seid
			break
		}
	}
	if delete(rest, seid); len(rest) == 0 {
		delete(at.more, t.TEID)
	}
	if len(at.First) == 0 {
		delete(r.Peers, t.Peer)
	}
}

// Of lists the sessions that send into a tunnel.
func (r *Remotes) Of(t session.OuterHeader) []uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.Peers[t.Peer]
	if at == nil {
		return nil
	}
	return at.sessions(t.TEID)
}

func (at *tunnelsAt) sessions(teid uint32) []uint64 {
	seid, has := at.First[teid]
	if !has {
		return nil
	}
	return slices.AppendSeq([]uint64{seid}, maps.Keys(at.more[teid]))
}

// At lists the sessions with a tunnel that ends at the address.
func (r *Remotes) At(peer netip.Addr) (seids []uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.Peers[peer]
	if at == nil {
		return nil
	}
	for teid := range at.First {
		seids = append(seids, at.sessions(teid)...)
	}
	return seids
}

// All lists the addresses at which tunnels end.
func (r *Remotes) All() []netip.Addr {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]netip.Addr, 0, len(r.Peers))
	for a := range r.Peers {
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
