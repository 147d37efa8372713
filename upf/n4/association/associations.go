// Package association keeps the associations with CP functions, and the sessions of each (TS 29.244 clause 5.8). The two
// know each other, since another SMF of a set may take a session over.
//
// A session's lock is taken first, then that of the associations, then that of the table of sessions, which is held over
// no call. The datapath is called with no other lock than a session's.
package association

import (
	"cmp"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
	"github.com/upflab/upflab/upf/session"
)

// Subject is what a kept answer is about.
type Subject struct {
	Node        string
	Association *Association // the node's, after the request
}

// Holds reports whether an answer is still about the association that there is.
func (l *Associations) Holds(of Subject, from request.Source) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Nodes[of.Node] == of.Association && !of.Association.isRestart(from)
}

// Associations are the relations to CP functions, and who may set one up. What each of its parts does is done with the
// lock that they share.
type Associations struct {
	*guarded
	Liveness  liveness
	Ownership ownership
}

// liveness is which CP functions answer, restarted, or are to be connected.
type liveness struct{ *guarded }

// ownership is which association has a session, and what its address is charged for.
type ownership struct{ *guarded }

// guarded is the table and its lock, which guards all of it, and what each association has. It is
// taken after a session's lock and before that of
// sessions; only the lock of a session that is being made is taken after it, which nobody else can
// hold. It is never held over a call of the datapath, so heartbeats are answered whatever sessions do.
type guarded struct {
	mu sync.Mutex
	table
}

// table is the associations. Whoever calls its methods holds the lock, which a test checks.
type table struct {
	log      *slog.Logger
	kept     *Keeping
	sessions *Sessions
	connect  []netip.AddrPort // Config.Connect
	six      bool             // N4 is of IPv6
	// maxSessions is Config.MaxSessions.
	maxSessions int
	*tally.Tally

	Nodes    map[string]*Association // by Node ID
	Sources  charges
	Settings Tunables
	// connections are the CP functions that the server sets associations up with.
	connections []*Connection
	leaving     bool // no new associations and sessions
}

func New(connect []netip.AddrPort, six bool, maxSessions int, settings Tunables, kept *Keeping, t *tally.Tally, log *slog.Logger) *Associations {
	g := &guarded{table: table{
		log: log, kept: kept, sessions: kept.Sessions, connect: connect, six: six, maxSessions: maxSessions, Tally: t,
		Nodes: map[string]*Association{}, Sources: charges{},
	}}
	l := &Associations{g, liveness{g}, ownership{g}}
	l.Reload(settings)
	for _, to := range connect {
		l.connections = append(l.connections, &Connection{To: to})
	}
	return l
}

// Association is the relation to one CP function (TS 29.244 clause 5.8). The lock of associations
// guards it, except node and peer, which never change.
type Association struct {
	Node     string         // its Node ID
	Peer     netip.AddrPort // where its setup request came from
	recovery uint32         // its Recovery Time Stamp
	smfSet
	Sessions sessionList
	remains  []*Session // from before a restart, which could not be deleted
	// applications are the filters of each application, from PFD management.
	applications map[string][]session.Filter
	beat         beat
	since        time.Time
	// confirmed: it had a session or answered a heartbeat. One that never did may
	// be an invented Node ID, and makes way for others.
	confirmed bool
	mute      bool // it did not answer when it was asked to release the association
	Ending    bool // its sessions are being deleted, or those of its predecessor moved here; no new ones
	// challenged: another address claims its Node ID, so a heartbeat is due.
	challenged bool
}

// Reload replaces the tunables.
func (l *Associations) Reload(t Tunables) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Settings = Tunables{t.SMFs, t.Sets, t.Limits.withDefaults(l.maxSessions), t.Heartbeat.WithDefaults()}
	for _, a := range l.Nodes {
		l.bind(a)
	}
}

// Tunables returns the tunables of now.
func (l *guarded) Tunables() Tunables {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Settings
}

// Len returns the number of associations.
func (l *Associations) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.Nodes)
}

// Of returns a node's association, or nil.
func (l *Associations) Of(node string) *Association {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Nodes[node]
}

// Replaceable returns the node's association, which ends now, or nil. When another
// address has it, that one is asked by a heartbeat whether it lives; when it does
// not answer, the association ends, and the CP function's next try succeeds.
func (l *Associations) Replaceable(p request.Setup, from request.Source) (*Association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	node := p.Node
	if !l.mayAssociate(from.Peer.Addr()) {
		l.Count(func(c *tally.Counters) { c.NotOwner++ })
		return nil, &request.Rejection{Cause: ie.CauseRequestRejected, Reason: from.Peer.Addr().String() + " is not in n4.smfs"}
	}
	if err := l.checkClaim(p.Set, from.Peer.Addr()); err != nil {
		return nil, err
	}
	a := l.Nodes[node]
	switch {
	case l.leaving:
		return nil, stopping()
	case a == nil:
		return nil, nil
	case a.Ending:
		return nil, &request.Rejection{Cause: ie.CauseRequestRejected, Reason: "the old association of node " + node + " is ending"}
	case !a.speaks(from.Peer.Addr()) && a.confirmed:
		a.challenged = true
		l.Count(func(c *tally.Counters) { c.NotOwner++ })
		return nil, &request.Rejection{Cause: ie.CauseRequestRejected, Reason: "node " + node + " is associated from " + a.Peer.String()}
	}
	a.Ending = true
	return a, nil
}

func stopping() error {
	return &request.Rejection{Cause: ie.CauseRequestRejected, Reason: "the UPF is about to stop"}
}

// mayAssociate reports whether the address is one of the configured SMFs. The lock is held.
func (l *table) mayAssociate(from netip.Addr) bool {
	for _, p := range l.Settings.SMFs {
		if p.Contains(from) {
			return true
		}
	}
	for _, c := range l.connect {
		if c.Addr() == from {
			return true
		}
	}
	return len(l.Settings.SMFs) == 0
}

// MayAct reports whether messages from the address may count for the association: it is where that was set up, which
// may not be among the SMFs any more, or one of the configured SMFs, which a Node ID or a CP F-SEID need not be.
func (l *Associations) MayAct(a *Association, from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acts(a, from)
}

// acts is MayAct. The lock is held.
func (l *table) acts(a *Association, from netip.Addr) bool {
	return from == a.Peer.Addr() || l.mayAssociate(from)
}

// checkCP refuses a CP F-SEID of an address, which may be invalid, that may not associate: it would own the session, and
// get its reports. The lock is held.
func (l *table) checkCP(a *Association, at netip.Addr) error {
	if !at.IsValid() || l.acts(a, at) {
		return nil
	}
	return request.Incorrect(ie.FSEID, "its address "+at.String()+" is not in n4.smfs")
}

// Add enters an association when there is room for it. One that the server asked for is
// confirmed by the answer.
func (l *Associations) Add(p request.Setup, from request.Source, confirmed bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Nodes[p.Node] != nil {
		return &request.Rejection{Cause: ie.CauseRequestRejected, Reason: "node " + p.Node + " is being associated"}
	}
	if err := l.makeRoom(from.Peer.Addr()); err != nil {
		return err
	}
	l.enter(p, from).confirmed = confirmed
	return nil
}

// enter makes the association that a request asks for. The lock is held.
func (l *table) enter(p request.Setup, from request.Source) *Association {
	a := &Association{Node: p.Node, Peer: from.Peer, recovery: p.Recovery, since: from.At}
	l.takeSet(a, p.Set)
	l.Nodes[p.Node] = a
	l.Sources.Of(from.Peer.Addr()).Associations++
	l.heard(from.Peer.Addr())
	l.kept.association(a)
	return a
}

// Restore enters an association that an earlier process kept.
func (l *Associations) Restore(node string, k KeptAssociation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &Association{
		Node: node, Peer: k.Peer, recovery: k.Recovery, since: time.Now(), confirmed: true,
		applications: k.Applications,
		smfSet:       smfSet{Features: request.CPFeatures(k.Features), Others: k.Others, silent: k.Silent},
	}
	l.bind(a)
	l.Nodes[node] = a
	l.Sources.Of(k.Peer.Addr()).Associations++
}

// makeRoom has the oldest association that nothing confirmed make way for one of
// the address: one of the address's own when that has as many as it may. The lock
// is held.
func (l *table) makeRoom(address netip.Addr) error {
	of := netip.Addr{} // anybody's
	switch {
	case l.Sources.Of(address).Associations >= l.Settings.Limits.Associations:
		of = address
	case len(l.Nodes) < MaxAssociations:
		return nil
	}
	old := l.oldestUnconfirmed(of)
	if old == nil {
		l.Sources.forgetUnused(address)
		return request.NoResources("too many associations")
	}
	l.log.Info("an association without sessions makes way for another", "node", old.Node, "peer", old.Peer)
	l.remove(old)
	return nil
}

// oldestUnconfirmed looks at the associations of an address, or at all. Without
// sessions, now or ever, there is nothing to delete. The lock is held.
func (l *table) oldestUnconfirmed(of netip.Addr) (oldest *Association) {
	for _, a := range l.Nodes {
		if a.confirmed || a.Ending || len(a.Sessions) > 0 || of.IsValid() && a.Peer.Addr() != of {
			continue
		}
		if oldest == nil || a.since.Before(oldest.since) {
			oldest = a
		}
	}
	return oldest
}

// remove takes an association without sessions out of the tables. The lock is held.
func (l *table) remove(a *Association) {
	delete(l.Nodes, a.Node)
	l.kept.Forget(keyAssociation + a.Node)
	l.Sources.Of(a.Peer.Addr()).Associations--
	l.Sources.forgetUnused(a.Peer.Addr())
}

// Ended removes an association whose sessions were deleted. When that failed, it is as
// usable as before.
func (l *Associations) Ended(a *Association, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.Ending = err == nil; a.Ending && l.Nodes[a.Node] == a {
		l.remove(a)
	}
}

// SessionsOf lists an association's sessions by SEID, the order in which they are locked.
func (l *ownership) SessionsOf(a *Association) []*Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(slices.Values(a.Sessions), bySEID)
}

func bySEID(a, b *Session) int { return cmp.Compare(a.Up, b.Up) }

// Owns reports whether messages from the address may act for the association: they
// come from where it was set up, or from the address that is its Node ID.
func (a *Association) Owns(from netip.Addr) bool {
	return from == a.Peer.Addr() || from.IsValid() && from.String() == a.Node
}

// owned finds the association of a node for its owner. To anybody else there is
// none. The lock is held.
func (l *table) owned(node string, from request.Source) (*Association, error) {
	a := l.Nodes[node]
	switch {
	case a == nil || a.Ending:
		return nil, notAssociated(node)
	case !a.speaks(from.Peer.Addr()) || !l.acts(a, from.Peer.Addr()):
		l.Count(func(c *tally.Counters) { c.NotOwner++ })
		return nil, notAssociated(node)
	}
	return a, nil
}

// Named finds the association that a release or an update is about. A Node ID of
// 0.0.0.0 or :: names nobody; some CP functions send it: it is the sender's own
// association, when its address has only one. release marks it as ending.
func (l *Associations) Named(node string, from request.Source, release bool) (*Association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, err := l.owned(l.meant(node, from), from)
	if err == nil && release {
		a.Ending = true
	}
	return a, err
}

// meant is the node that a Node ID means. The lock is held.
func (l *table) meant(node string, from request.Source) string {
	if a, err := netip.ParseAddr(node); err == nil && a.IsUnspecified() && l.Nodes[node] == nil {
		if own := l.at(from.Peer); len(own) == 1 {
			return own[0].Node
		}
	}
	return node
}

// Sender is the association of who sent a message that has no Node ID, when its address
// has only one.
func (l *Associations) Sender(from request.Source) (*Association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.at(from.Peer)
	if len(own) != 1 || own[0].Ending {
		return nil, notAssociated("at " + from.Peer.String())
	}
	return own[0], nil
}

// at finds the associations that a heartbeat from the address speaks for. A
// heartbeat has no Node ID and may come from another port than the setup did;
// so the port counts only where several CP functions share the address. The lock is held.
func (l *table) at(from netip.AddrPort) []*Association {
	var sameIP, same []*Association
	for _, a := range l.Nodes {
		if a.Peer.Addr() != from.Addr() {
			continue
		}
		sameIP = append(sameIP, a)
		if a.Peer == from {
			same = append(same, a)
		}
	}
	if len(sameIP) > 1 {
		return same
	}
	return sameIP
}

func notAssociated(node string) error {
	return &request.Rejection{Cause: ie.CauseNoEstablishedPFCPAssociation, Reason: "no association with node " + node}
}

// isRestart reports whether a set-up with the octets of an earlier one is that of a
// CP function that begins again, and not a late copy: its association had sessions
// and has none left, so a new one loses nothing. The lock is held.
func (a *Association) isRestart(from request.Source) bool {
	return from.Type == pfcp.AssociationSetupRequest && a != nil && a.confirmed && !a.Ending && len(a.Sessions) == 0
}

// Applications are those of a CP function, which are not changed but replaced.
func (l *Associations) Applications(a *Association) map[string][]session.Filter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return a.applications
}

// SetApplications replaces and keeps them.
func (l *Associations) SetApplications(a *Association, now map[string][]session.Filter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.applications = now
	if l.Nodes[a.Node] == a { // it may have been made anew, or have ended
		l.kept.association(a)
	}
}
