package association

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/request"
)

// smfSet is what an association says of the other SMFs of its SMF's set, which may act for its sessions (TS 29.244
// clause 5.22). The lock of associations guards it.
type smfSet struct {
	Features request.CPFeatures
	Set      string       // SMF Set ID, where each SMF of the set has an association; else ""
	Others   []netip.Addr // of other SMFs, or of more PFCP entities of this one; the preferred ones first
	// silent are those of the addresses of the set that did not answer, and have not been heard of since: what
	// would go there goes to contact.
	silent []netip.Addr
}

// MaxOthers is how many addresses of other SMFs are kept of an association.
const MaxOthers = 16

// SMFSet is a configured SMF set: its ID, a domain name, and the addresses of its SMFs. Which set an SMF is of is never
// its own to say: it could take sessions of others over.
type SMFSet struct {
	ID   string
	SMFs []netip.Prefix
}

// setOf is the ID of the configured set of the SMF at the address, in lower case; "": it is of none. The lock is held.
func (l *table) setOf(at netip.Addr) string {
	for i := range l.Settings.Sets {
		if s := &l.Settings.Sets[i]; slices.ContainsFunc(s.SMFs, func(p netip.Prefix) bool { return p.Contains(at) }) {
			return strings.ToLower(s.ID)
		}
	}
	return ""
}

// SetFeatures are the features of SMF sets that the SMF at an address can have: none where it is configured for no set.
func (l *Associations) SetFeatures(at netip.Addr) request.CPFeatures {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.setOf(at) == "" {
		return 0
	}
	return request.CPSSET | request.CPMPAS
}

// checkClaim refuses an SMF Set ID other than that of the SMF at the address. One that is of no set gets none. The lock
// is held.
func (l *table) checkClaim(c request.SetChange, at netip.Addr) error {
	if own := l.setOf(at); own != "" && c.Set != "" && c.Set != own {
		return &request.Rejection{Cause: ie.CauseRequestRejected, Reason: fmt.Sprintf("it names SMF set %q, and n4.sets has %v in %q", c.Set, at, own)}
	}
	return nil
}

// Claim refuses the same in the answer to the UP function's own setup request.
func (l *Associations) Claim(p request.Setup, from request.Source) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.checkClaim(p.Set, from.Peer.Addr())
}

// SharesSet reports whether the address is that of an SMF of the set that has the session.
func (l *Associations) SharesSet(one *Session, at netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	set := l.setOf(one.Association.Peer.Addr())
	return set != "" && at.IsValid() && l.setOf(at) == set
}

// takeSet gives the association what is said of its set. The lock is held.
func (l *table) takeSet(a *Association, c request.SetChange) {
	if c.HasFeatures {
		a.Features = c.Features
	}
	if c.Others != nil {
		a.Others, a.silent = nil, nil
	}
	for _, o := range c.Others {
		if at := o.Of(l.six); at.IsValid() && at != a.Peer.Addr() && !slices.Contains(a.Others, at) {
			a.Others = append(a.Others, at)
		}
	}
	l.bind(a)
}

// bind leaves of an association what its SMF's configured set allows: other addresses are those of the same set. The
// lock is held.
func (l *table) bind(a *Association) {
	set := l.setOf(a.Peer.Addr())
	if set == "" {
		a.Features = 0
	}
	if a.Set = set; a.Features&request.CPMPAS == 0 {
		a.Set = ""
	}
	if a.Features == 0 {
		a.Others, a.silent = nil, nil
	}
	a.Others = slices.DeleteFunc(slices.Clone(a.Others), func(at netip.Addr) bool { return l.setOf(at) != set })
	a.Others = a.Others[:min(len(a.Others), MaxOthers)]
}

// ChangeSet carries out what an update says of the association's set, and gives the features that it has then.
func (l *Associations) ChangeSet(a *Association, c request.SetChange) (request.CPFeatures, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.checkClaim(c, a.Peer.Addr()); err != nil {
		return 0, err
	}
	l.takeSet(a, c)
	if l.Nodes[a.Node] == a { // it may have been made anew, or have ended
		l.kept.association(a)
	}
	return a.Features, nil
}

// speaks reports whether messages about the node may come from the address: the owner's, and under SSET any SMF's of the
// set. The lock of associations is held.
func (a *Association) speaks(from netip.Addr) bool {
	return a.Owns(from) || a.Features&request.CPSSET != 0 && slices.Contains(a.Others, from)
}

// contact is where messages of the node go: to its peer, or to the first of the other addresses when that is silent.
// One of them is not, but in turn, where it is invalid then. The lock of associations is held.
func (a *Association) contact() netip.Addr {
	if at := a.Peer.Addr(); !slices.Contains(a.silent, at) {
		return at
	}
	for _, at := range a.Others {
		if !slices.Contains(a.silent, at) {
			return at
		}
	}
	return netip.Addr{}
}

// Contact is where messages of the node go.
func (l *Associations) Contact(a *Association) netip.Addr {
	l.mu.Lock()
	defer l.mu.Unlock()
	return a.contact()
}

// members are the other associations of the SMF's set, in the order in which they are chosen to go on with its sessions:
// as its alternative addresses have them, then those that have not left heartbeats unanswered. The lock is held.
func (l *table) members(a *Association) (list []*Association) {
	if a.Set == "" {
		return nil
	}
	for _, m := range l.Nodes {
		if m != a && m.Set == a.Set && !m.Ending {
			list = append(list, m)
		}
	}
	place := func(m *Association) int {
		if n := slices.Index(a.Others, m.Peer.Addr()); n >= 0 {
			return n
		}
		return MaxOthers
	}
	slices.SortFunc(list, func(m, n *Association) int {
		return cmp.Or(cmp.Compare(place(m), place(n)), cmp.Compare(m.beat.pending.Sent, n.beat.pending.Sent), cmp.Compare(m.Node, n.Node))
	})
	return list
}

// Serves reports whether an SMF at the address may act for the sessions of the association though it is not its owner:
// it is of the same set. An alternative address may be that of an SMF without an association of its own or of another
// PFCP entity of the same SMF: which, the IE does not say, so both may act under MPAS, too. a may be nil.
func (l *Associations) Serves(a *Association, from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return a != nil && (slices.Contains(a.Others, from) || l.member(a, from) != nil)
}

// member is the association of another SMF of the set that is at the address. The lock is held.
func (l *table) member(a *Association, at netip.Addr) *Association {
	for _, m := range l.members(a) {
		if m.speaks(at) {
			return m
		}
	}
	return nil
}

// turn has another address of the association asked when its contact did not answer, and reports whether there is one.
// Where the set has another association, that goes on with the sessions. The lock is held.
func (l *table) turn(a *Association, now time.Time) bool {
	if len(l.members(a)) > 0 {
		return false
	}
	a.silent = append(slices.Clone(a.silent), a.beat.to)
	to := a.contact()
	if !to.IsValid() {
		a.silent = nil // all are asked again if the association cannot end
		return false
	}
	l.log.Warn("the SMF does not answer heartbeats, another one of its set is asked", "node", a.Node, "silent", a.beat.to, "asked", to)
	a.beat = beat{next: now}
	l.kept.association(a)
	return true
}

// heard notes that an SMF lives. The lock is held.
func (l *table) heard(from netip.Addr) {
	for _, a := range l.Nodes {
		if slices.Contains(a.silent, from) {
			a.silent = slices.DeleteFunc(slices.Clone(a.silent), func(at netip.Addr) bool { return at == from })
			l.kept.association(a)
		}
	}
}
