package pfcp

import (
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// sessions are all PFCP sessions by the UP function's SEID, and which of them has a TEID, a UE
// address or a tunnel. Its lock is taken after those of a session and of associations, for a look: it
// is never held over a call of another part.
type sessions struct {
	most      int // 0: no limit
	random    func() uint64
	teids     *teids     // lock themselves
	addresses *addresses // of UEs; lock themselves
	remotes   *remotes   // lock themselves

	mu     sync.Mutex
	bySEID map[uint64]*pduSession
}

func newSessions(most int, pools []netip.Prefix) *sessions {
	return &sessions{
		most: most, random: randomSEID, teids: newTEIDs(), addresses: newAddresses(pools), remotes: newRemotes(),
		bySEID: map[uint64]*pduSession{},
	}
}

// pduSession is a PFCP session. There may be a million of them, so what only some need is
// elsewhere.
type pduSession struct {
	up, cp uint64 // SEIDs; the lock of sessions guards cp and cpAddress
	// association changes when another SMF of a set takes the session over, with this lock and those of
	// associations and sessions held: to read it takes one of the three.
	association *association
	place       int32 // in the association's list; the lock of associations guards it
	// charged is how many filters its address is charged for: the lock of associations, and this one,
	// are held to change it.
	charged   int32
	cpAddress [16]byte // in the CP F-SEID, of IPv4 as IPv4-mapped; zero: reports go to the association's peer

	sync.Mutex // locks what follows
	// rules are zero before the session is established, and after it was deleted. They are
	// replaced with this lock and that of sessions held: to read them takes one of the two.
	rules session.Packed
	usage usageStates
	timer moment           // that is set for the session's usage; 0: none
	given *[2]netip.Prefix // UE addresses that were chosen here, of IPv4 and IPv6; nil: none
	*extras
}

// extras are what few sessions have; nil until one of them is set.
type extras struct {
	sets   []string // of sessions that it belongs to: FQ-CSIDs
	buffer buffer
	// notices are the packets that were answered for the session in a second.
	notices noticeBudget
	// indicated is when an Error Indication was last reported.
	indicated time.Time
	final     *finals // where the usage goes when the session is deleted; nil: nowhere
}

// extra returns the session's extras, to be changed.
func (p *pduSession) extra() *extras {
	if p.extras == nil {
		p.extras = &extras{}
	}
	return p.extras
}

// holds returns the session's buffer, nil when it never held a packet.
func (p *pduSession) holds() *buffer {
	if p.extras == nil {
		return nil
	}
	return &p.extras.buffer
}

// owns reports whether messages from the address may act for the session: its
// association's, and those from the address in the CP F-SEID.
func (p *pduSession) owns(from netip.Addr) bool {
	return p.association.owns(from) || from.IsValid() && from == addressIn(p.cpAddress)
}

// addressIn is an address of either family, invalid where it is zero.
func addressIn(b [16]byte) (a netip.Addr) {
	if b != [16]byte{} {
		a = netip.AddrFrom16(b).Unmap()
	}
	return a
}

// enter gives a session without rules its SEID, when there is room for it.
func (l *sessions) enter(one *pduSession) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.most > 0 && len(l.bySEID) >= l.most {
		return noResources("max_sessions is reached")
	}
	one.up = l.newSEID()
	l.bySEID[one.up] = one
	return nil
}

// newSEID finds a SEID that no session has. It is random, so that one from
// before a restart is not taken for one from after it, and cannot be guessed.
func (l *sessions) newSEID() uint64 {
	for {
		if seid := l.random(); seid != 0 && l.bySEID[seid] == nil {
			return seid
		}
	}
}

// restore enters a session that an earlier process kept.
func (l *sessions) restore(one *pduSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bySEID[one.up] = one
}

// remove takes a session out, whose lock is held.
func (l *sessions) remove(one *pduSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.rules = session.Packed{}
	delete(l.bySEID, one.up)
}

// get returns a session, or nil.
func (l *sessions) get(seid uint64) *pduSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bySEID[seid]
}

// len returns the number of sessions.
func (l *sessions) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.bySEID)
}

// all lists the sessions in the order of their SEIDs.
func (l *sessions) all() []*pduSession {
	l.mu.Lock()
	list := slices.Collect(maps.Values(l.bySEID))
	l.mu.Unlock()
	slices.SortFunc(list, bySEID)
	return list
}

// find returns the session that a message is about to its owner, locked. To anybody
// else there is none; stranger reports that there is one.
func (l *sessions) find(from source) (one *pduSession, stranger bool) {
	l.mu.Lock()
	one = l.bySEID[from.SEID]
	stranger = one != nil && !one.owns(from.peer.Addr())
	l.mu.Unlock()
	if stranger {
		return nil, true
	}
	return one.begun(), false
}

// locked returns a session, locked, whoever asks; nil when there is none.
func (l *sessions) locked(seid uint64) *pduSession { return l.get(seid).begun() }

// begun locks a session; nil when it ended meanwhile, or never began.
func (p *pduSession) begun() *pduSession {
	if p == nil {
		return nil
	}
	p.Lock()
	if p.rules.IsZero() {
		p.Unlock()
		return nil
	}
	return p
}

// associationOf is the association of the session with the SEID, nil when there is none.
func (l *sessions) associationOf(seid uint64) *association {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.bySEID[seid]; one != nil {
		return one.association
	}
	return nil
}

// setAssociation makes a session another association's. Where its CP F-SEID has no address that reports can go to,
// they went to the old one's peer, as they will. The session's lock and that of associations are held.
func (l *sessions) setAssociation(one *pduSession, to *association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !addressIn(one.cpAddress).IsValid() {
		one.cpAddress = one.association.peer.Addr().As16()
	}
	one.association = to
}

func sessionNotFound() error {
	return &rejection{cause: ie.CauseSessionContextNotFound}
}

// cpSEID is the CP function's SEID of the session that a message is about; 0 when
// there is none, or it is another's.
func (l *sessions) cpSEID(from source) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.bySEID[from.SEID]; one != nil && from.HasSEID && one.owns(from.peer.Addr()) {
		return one.cp
	}
	return 0
}

// cpFSEID is a session's CP F-SEID.
func (l *sessions) cpFSEID(one *pduSession) (cp uint64, at netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return one.cp, addressIn(one.cpAddress)
}

// setCP replaces a session's CP F-SEID. Its reports go to the new address, which owns the session
// as the first one did (TS 29.244 table 7.5.4.1-1).
func (l *sessions) setCP(one *pduSession, cp uint64, at [16]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.cp, one.cpAddress = cp, at
}

// setRules makes rules the session's, whose lock is held.
func (l *sessions) setRules(one *pduSession, rules *session.Rules) {
	packed := session.Pack(rules)
	l.mu.Lock()
	defer l.mu.Unlock()
	one.rules = packed
}

// rulesOf returns a copy of a session's rules, nil when there are none.
func (l *sessions) rulesOf(seid uint64) *session.Rules {
	l.mu.Lock()
	var rules session.Packed
	if one := l.bySEID[seid]; one != nil {
		rules = one.rules
	}
	l.mu.Unlock()
	return rules.Rules()
}

// associationsOf lists the associations that have one of the sessions.
func (l *sessions) associationsOf(seids []uint64) (list []*association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := map[*association]bool{}
	for _, seid := range seids {
		if one := l.bySEID[seid]; one != nil && !seen[one.association] {
			seen[one.association] = true
			list = append(list, one.association)
		}
	}
	return list
}

// release frees the keys of a session's rules.
func (l *sessions) release(rules *session.Rules, seid uint64) {
	l.teids.free(teidsOf(rules))
	l.addresses.free(addressesOf(rules))
	l.remotes.replace(rules, nil, seid)
}

// claim takes the keys of the rules of a session that is restored.
func (l *sessions) claim(rules *session.Rules, seid uint64) {
	for _, teid := range teidsOf(rules) {
		l.teids.claim(teid, seid)
	}
	for _, ue := range addressesOf(rules) {
		l.addresses.claim(ue, seid)
	}
	l.remotes.replace(nil, rules, seid)
}

// Info is a session as it is now. Its rules are a copy.
type Info struct {
	SEID, CPSEID uint64
	Node         string         // of the association
	Peer         netip.AddrPort // the same
	Rules        *session.Rules
	Held         int // packets that are buffered
}

// Sessions calls f with the sessions in the order of their SEIDs, until it returns
// false. Those that come or go meanwhile may be among them or not.
func (s *Server) Sessions(f func(Info) bool) {
	for _, one := range s.sessions.all() {
		if info, ok := s.sessions.info(one); ok && !f(info) {
			return
		}
	}
}

// Session returns the session with the SEID, when there is one.
func (s *Server) Session(seid uint64) (Info, bool) {
	one := s.sessions.get(seid)
	if one == nil {
		return Info{}, false
	}
	return s.sessions.info(one)
}

func (l *sessions) info(one *pduSession) (Info, bool) {
	one.Lock()
	defer one.Unlock()
	rules := one.rules.Rules()
	if rules == nil {
		return Info{}, false
	}
	held := 0
	if b := one.holds(); b != nil {
		held = len(b.packets)
	}
	cp, _ := l.cpFSEID(one)
	a := one.association
	return Info{SEID: one.up, CPSEID: cp, Node: a.node, Peer: a.peer, Rules: rules, Held: held}, true
}

// sessionList is an association's sessions, in no order.
type sessionList []*pduSession

func (l *sessionList) add(one *pduSession) {
	one.place = int32(len(*l))
	*l = append(*l, one)
}

func (l *sessionList) remove(one *pduSession) {
	last := len(*l) - 1
	moved := (*l)[last]
	(*l)[one.place], moved.place = moved, one.place
	(*l)[last] = nil
	*l = (*l)[:last]
}
