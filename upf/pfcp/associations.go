package pfcp

import (
	"cmp"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// associations are the relations to CP functions, and who may set one up. What each of its parts does is done with the
// lock that they share.
type associations struct {
	*guarded
	liveness  liveness
	ownership ownership
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
	kept     *keeping
	sessions *sessions
	connect  []netip.AddrPort // Config.Connect
	six      bool             // N4 is of IPv6
	// maxSessions is Config.MaxSessions.
	maxSessions int
	*tally

	nodes    map[string]*association // by Node ID
	sources  charges
	settings Tunables
	// connections are the CP functions that the server sets associations up with.
	connections []*connection
	leaving     bool // no new associations and sessions
}

func newAssociations(connect []netip.AddrPort, six bool, maxSessions int, settings Tunables, kept *keeping, t *tally, log *slog.Logger) *associations {
	g := &guarded{table: table{
		log: log, kept: kept, sessions: kept.sessions, connect: connect, six: six, maxSessions: maxSessions, tally: t,
		nodes: map[string]*association{}, sources: charges{},
	}}
	l := &associations{g, liveness{g}, ownership{g}}
	l.reload(settings)
	for _, to := range connect {
		l.connections = append(l.connections, &connection{to: to})
	}
	return l
}

// association is the relation to one CP function (TS 29.244 clause 5.8). The lock of associations
// guards it, except node and peer, which never change.
type association struct {
	node     string         // its Node ID
	peer     netip.AddrPort // where its setup request came from
	recovery uint32         // its Recovery Time Stamp
	smfSet
	sessions sessionList
	remains  []*pduSession // from before a restart, which could not be deleted
	// applications are the filters of each application, from PFD management.
	applications map[string][]session.Filter
	beat         beat
	since        time.Time
	// confirmed: it had a session or answered a heartbeat. One that never did may
	// be an invented Node ID, and makes way for others.
	confirmed bool
	mute      bool // it did not answer when it was asked to release the association
	ending    bool // its sessions are being deleted, or those of its predecessor moved here; no new ones
	// challenged: another address claims its Node ID, so a heartbeat is due.
	challenged bool
}

// reload replaces the tunables.
func (l *associations) reload(t Tunables) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settings = Tunables{t.SMFs, t.Sets, t.Limits.withDefaults(l.maxSessions), t.Heartbeat.withDefaults()}
	for _, a := range l.nodes {
		l.bind(a)
	}
}

// tunables returns the tunables of now.
func (l *guarded) tunables() Tunables {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settings
}

// len returns the number of associations.
func (l *associations) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.nodes)
}

// of returns a node's association, or nil.
func (l *associations) of(node string) *association {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.nodes[node]
}

// replaceable returns the node's association, which ends now, or nil. When another
// address has it, that one is asked by a heartbeat whether it lives; when it does
// not answer, the association ends, and the CP function's next try succeeds.
func (l *associations) replaceable(p setup, from source) (*association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	node := p.node
	if !l.mayAssociate(from.peer.Addr()) {
		l.count(func(c *Counters) { c.NotOwner++ })
		return nil, &rejection{cause: ie.CauseRequestRejected, reason: from.peer.Addr().String() + " is not in n4.smfs"}
	}
	if err := l.checkClaim(p.set, from.peer.Addr()); err != nil {
		return nil, err
	}
	a := l.nodes[node]
	switch {
	case l.leaving:
		return nil, stopping()
	case a == nil:
		return nil, nil
	case a.ending:
		return nil, &rejection{cause: ie.CauseRequestRejected, reason: "the old association of node " + node + " is ending"}
	case !a.speaks(from.peer.Addr()) && a.confirmed:
		a.challenged = true
		l.count(func(c *Counters) { c.NotOwner++ })
		return nil, &rejection{cause: ie.CauseRequestRejected, reason: "node " + node + " is associated from " + a.peer.String()}
	}
	a.ending = true
	return a, nil
}

func stopping() error {
	return &rejection{cause: ie.CauseRequestRejected, reason: "the UPF is about to stop"}
}

// mayAssociate reports whether the address is one of the configured SMFs. The lock is held.
func (l *table) mayAssociate(from netip.Addr) bool {
	for _, p := range l.settings.SMFs {
		if p.Contains(from) {
			return true
		}
	}
	for _, c := range l.connect {
		if c.Addr() == from {
			return true
		}
	}
	return len(l.settings.SMFs) == 0
}

// mayAct reports whether messages from the address may count for the association: it is where that was set up, which
// may not be among the SMFs any more, or one of the configured SMFs, which a Node ID or a CP F-SEID need not be.
func (l *associations) mayAct(a *association, from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acts(a, from)
}

// acts is mayAct. The lock is held.
func (l *table) acts(a *association, from netip.Addr) bool {
	return from == a.peer.Addr() || l.mayAssociate(from)
}

// checkCP refuses a CP F-SEID of an address, which may be invalid, that may not associate: it would own the session, and
// get its reports. The lock is held.
func (l *table) checkCP(a *association, at netip.Addr) error {
	if !at.IsValid() || l.acts(a, at) {
		return nil
	}
	return incorrect(ie.FSEID, "its address "+at.String()+" is not in n4.smfs")
}

// add enters an association when there is room for it. One that the server asked for is
// confirmed by the answer.
func (l *associations) add(p setup, from source, confirmed bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.nodes[p.node] != nil {
		return &rejection{cause: ie.CauseRequestRejected, reason: "node " + p.node + " is being associated"}
	}
	if err := l.makeRoom(from.peer.Addr()); err != nil {
		return err
	}
	l.enter(p, from).confirmed = confirmed
	return nil
}

// enter makes the association that a request asks for. The lock is held.
func (l *table) enter(p setup, from source) *association {
	a := &association{node: p.node, peer: from.peer, recovery: p.recovery, since: from.at}
	l.takeSet(a, p.set)
	l.nodes[p.node] = a
	l.sources.of(from.peer.Addr()).associations++
	l.heard(from.peer.Addr())
	l.kept.association(a)
	return a
}

// restore enters an association that an earlier process kept.
func (l *associations) restore(node string, k KeptAssociation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &association{
		node: node, peer: k.Peer, recovery: k.Recovery, since: time.Now(), confirmed: true,
		applications: k.Applications,
		smfSet:       smfSet{features: cpFeatures(k.Features), others: k.Others, silent: k.Silent},
	}
	l.bind(a)
	l.nodes[node] = a
	l.sources.of(k.Peer.Addr()).associations++
}

// makeRoom has the oldest association that nothing confirmed make way for one of
// the address: one of the address's own when that has as many as it may. The lock
// is held.
func (l *table) makeRoom(address netip.Addr) error {
	of := netip.Addr{} // anybody's
	switch {
	case l.sources.of(address).associations >= l.settings.Limits.Associations:
		of = address
	case len(l.nodes) < maxAssociations:
		return nil
	}
	old := l.oldestUnconfirmed(of)
	if old == nil {
		l.sources.forgetUnused(address)
		return noResources("too many associations")
	}
	l.log.Info("an association without sessions makes way for another", "node", old.node, "peer", old.peer)
	l.remove(old)
	return nil
}

// oldestUnconfirmed looks at the associations of an address, or at all. Without
// sessions, now or ever, there is nothing to delete. The lock is held.
func (l *table) oldestUnconfirmed(of netip.Addr) (oldest *association) {
	for _, a := range l.nodes {
		if a.confirmed || a.ending || len(a.sessions) > 0 || of.IsValid() && a.peer.Addr() != of {
			continue
		}
		if oldest == nil || a.since.Before(oldest.since) {
			oldest = a
		}
	}
	return oldest
}

// remove takes an association without sessions out of the tables. The lock is held.
func (l *table) remove(a *association) {
	delete(l.nodes, a.node)
	l.kept.forget(keyAssociation + a.node)
	l.sources.of(a.peer.Addr()).associations--
	l.sources.forgetUnused(a.peer.Addr())
}

// ended removes an association whose sessions were deleted. When that failed, it is as
// usable as before.
func (l *associations) ended(a *association, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.ending = err == nil; a.ending && l.nodes[a.node] == a {
		l.remove(a)
	}
}

// sessionsOf lists an association's sessions by SEID, the order in which they are locked.
func (l *ownership) sessionsOf(a *association) []*pduSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(slices.Values(a.sessions), bySEID)
}

func bySEID(a, b *pduSession) int { return cmp.Compare(a.up, b.up) }

// owns reports whether messages from the address may act for the association: they
// come from where it was set up, or from the address that is its Node ID.
func (a *association) owns(from netip.Addr) bool {
	return from == a.peer.Addr() || from.IsValid() && from.String() == a.node
}

// owned finds the association of a node for its owner. To anybody else there is
// none. The lock is held.
func (l *table) owned(node string, from source) (*association, error) {
	a := l.nodes[node]
	switch {
	case a == nil || a.ending:
		return nil, notAssociated(node)
	case !a.speaks(from.peer.Addr()) || !l.acts(a, from.peer.Addr()):
		l.count(func(c *Counters) { c.NotOwner++ })
		return nil, notAssociated(node)
	}
	return a, nil
}

// named finds the association that a release or an update is about. A Node ID of
// 0.0.0.0 or :: names nobody; some CP functions send it: it is the sender's own
// association, when its address has only one. release marks it as ending.
func (l *associations) named(node string, from source, release bool) (*association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, err := l.owned(l.meant(node, from), from)
	if err == nil && release {
		a.ending = true
	}
	return a, err
}

// meant is the node that a Node ID means. The lock is held.
func (l *table) meant(node string, from source) string {
	if a, err := netip.ParseAddr(node); err == nil && a.IsUnspecified() && l.nodes[node] == nil {
		if own := l.at(from.peer); len(own) == 1 {
			return own[0].node
		}
	}
	return node
}

// sender is the association of who sent a message that has no Node ID, when its address
// has only one.
func (l *associations) sender(from source) (*association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := l.at(from.peer)
	if len(own) != 1 || own[0].ending {
		return nil, notAssociated("at " + from.peer.String())
	}
	return own[0], nil
}

// at finds the associations that a heartbeat from the address speaks for. A
// heartbeat has no Node ID and may come from another port than the setup did;
// so the port counts only where several CP functions share the address. The lock is held.
func (l *table) at(from netip.AddrPort) []*association {
	var sameIP, same []*association
	for _, a := range l.nodes {
		if a.peer.Addr() != from.Addr() {
			continue
		}
		sameIP = append(sameIP, a)
		if a.peer == from {
			same = append(same, a)
		}
	}
	if len(sameIP) > 1 {
		return same
	}
	return sameIP
}

func notAssociated(node string) error {
	return &rejection{cause: ie.CauseNoEstablishedPFCPAssociation, reason: "no association with node " + node}
}

// isRestart reports whether a set-up with the octets of an earlier one is that of a
// CP function that begins again, and not a late copy: its association had sessions
// and has none left, so a new one loses nothing. The lock is held.
func (a *association) isRestart(from source) bool {
	return from.Type == pfcp.AssociationSetupRequest && a != nil && a.confirmed && !a.ending && len(a.sessions) == 0
}
