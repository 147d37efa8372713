package association

import (
	"crypto/rand"
	"encoding/binary"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/hold"
	"github.com/upflab/upflab/upf/n4/keys"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/usage"
	"github.com/upflab/upflab/upf/session"
)

// AddressesGiven are the UE addresses that were chosen for the session.
func (p *Session) AddressesGiven() (list [2]netip.Prefix) {
	if p.given != nil {
		list = *p.given
	}
	return list
}

func (p *Session) GiveAddresses(list [2]netip.Prefix) {
	if p.given = nil; list != [2]netip.Prefix{} {
		p.given = &list
	}
}

// Moment is a time in nanoseconds since timers began, in a third of a time.Time's room; 0 for none.
type Moment int64

// Sessions are all PFCP sessions by the UP function's SEID, and which of them has a TEID, a UE
// address or a tunnel. Its lock is taken after those of a session and of associations, for a look: it
// is never held over a call of another part.
type Sessions struct {
	most      int // 0: no limit
	Random    func() uint64
	TEIDs     *keys.TEIDs     // lock themselves
	Addresses *keys.Addresses // of UEs; lock themselves
	Remotes   *keys.Remotes   // lock themselves

	mu     sync.Mutex
	BySEID map[uint64]*Session
}

func NewSessions(most int, pools []netip.Prefix) *Sessions {
	return &Sessions{
		most: most, Random: randomSEID, TEIDs: keys.NewTEIDs(), Addresses: keys.NewAddresses(pools), Remotes: keys.NewRemotes(),
		BySEID: map[uint64]*Session{},
	}
}

// Session is a PFCP session. There may be a million of them, so what only some need is
// elsewhere.
type Session struct {
	Up, CP uint64 // SEIDs; the lock of sessions guards CP and CPAddress
	// Association changes when another SMF of a set takes the session over, with this lock and those of
	// associations and sessions held: to read it takes one of the three.
	Association *Association
	Place       int32 // in the association's list; the lock of associations guards it
	// Charged is how many filters its address is charged for: the lock of associations, and this one,
	// are held to change it.
	Charged   int32
	CPAddress [16]byte // in the CP F-SEID, of IPv4 as IPv4-mapped; zero: reports go to the association's peer

	sync.Mutex // locks what follows
	// Rules are zero before the session is established, and after it was deleted. They are
	// replaced with this lock and that of sessions held: to read them takes one of the two.
	Rules session.Packed
	Usage usage.States
	Timer Moment           // that is set for the session's usage; 0: none
	given *[2]netip.Prefix // UE addresses that were chosen here, of IPv4 and IPv6; nil: none
	*Extras
}

// Extras are what few sessions have; nil until one of them is set.
type Extras struct {
	Sets   []string // of sessions that it belongs to: FQ-CSIDs
	Buffer hold.Buffer
	// Notices are the packets that were answered for the session in a second.
	Notices noticeBudget
	// Indicated is when an Error Indication was last reported.
	Indicated time.Time
	Final     *usage.Finals // where the usage goes when the session is deleted; nil: nowhere
}

// Extra returns the session's extras, to be changed.
func (p *Session) Extra() *Extras {
	if p.Extras == nil {
		p.Extras = &Extras{}
	}
	return p.Extras
}

// Holds returns the session's buffer, nil when it never held a packet.
func (p *Session) Holds() *hold.Buffer {
	if p.Extras == nil {
		return nil
	}
	return &p.Extras.Buffer
}

// owns reports whether messages from the address may act for the session: its
// association's, and those from the address in the CP F-SEID.
func (p *Session) owns(from netip.Addr) bool {
	return p.Association.Owns(from) || from.IsValid() && from == addressIn(p.CPAddress)
}

// addressIn is an address of either family, invalid where it is zero.
func addressIn(b [16]byte) (a netip.Addr) {
	if b != [16]byte{} {
		a = netip.AddrFrom16(b).Unmap()
	}
	return a
}

// Enter gives a session without rules its SEID, when there is room for it.
func (l *Sessions) Enter(one *Session) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.most > 0 && len(l.BySEID) >= l.most {
		return request.NoResources("max_sessions is reached")
	}
	one.Up = l.newSEID()
	l.BySEID[one.Up] = one
	return nil
}

// newSEID finds a SEID that no session has. It is random, so that one from
// before a restart is not taken for one from after it, and cannot be guessed.
func (l *Sessions) newSEID() uint64 {
	for {
		if seid := l.Random(); seid != 0 && l.BySEID[seid] == nil {
			return seid
		}
	}
}

// Restore enters a session that an earlier process kept.
func (l *Sessions) Restore(one *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.BySEID[one.Up] = one
}

// Remove takes a session out, whose lock is held.
func (l *Sessions) Remove(one *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.Rules = session.Packed{}
	delete(l.BySEID, one.Up)
}

// Get returns a session, or nil.
func (l *Sessions) Get(seid uint64) *Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.BySEID[seid]
}

// Len returns the number of sessions.
func (l *Sessions) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.BySEID)
}

// All lists the sessions in the order of their SEIDs.
func (l *Sessions) All() []*Session {
	l.mu.Lock()
	list := slices.Collect(maps.Values(l.BySEID))
	l.mu.Unlock()
	slices.SortFunc(list, bySEID)
	return list
}

// Find returns the session that a message is about to its owner, locked. To anybody
// else there is none; stranger reports that there is one.
func (l *Sessions) Find(from request.Source) (one *Session, stranger bool) {
	l.mu.Lock()
	one = l.BySEID[from.SEID]
	stranger = one != nil && !one.owns(from.Peer.Addr())
	l.mu.Unlock()
	if stranger {
		return nil, true
	}
	return one.Begun(), false
}

// Locked returns a session, locked, whoever asks; nil when there is none.
func (l *Sessions) Locked(seid uint64) *Session { return l.Get(seid).Begun() }

// Begun locks a session; nil when it ended meanwhile, or never began.
func (p *Session) Begun() *Session {
	if p == nil {
		return nil
	}
	p.Lock()
	if p.Rules.IsZero() {
		p.Unlock()
		return nil
	}
	return p
}

// AssociationOf is the association of the session with the SEID, nil when there is none.
func (l *Sessions) AssociationOf(seid uint64) *Association {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.BySEID[seid]; one != nil {
		return one.Association
	}
	return nil
}

// setAssociation makes a session another association's. Where its CP F-SEID has no address that reports can go to,
// they went to the old one's peer, as they will. The session's lock and that of associations are held.
func (l *Sessions) setAssociation(one *Session, to *Association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !addressIn(one.CPAddress).IsValid() {
		one.CPAddress = one.Association.Peer.Addr().As16()
	}
	one.Association = to
}

func SessionNotFound() error {
	return &request.Rejection{Cause: ie.CauseSessionContextNotFound}
}

// CPSEID is the CP function's SEID of the session that a message is about; 0 when
// there is none, or it is another's.
func (l *Sessions) CPSEID(from request.Source) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one := l.BySEID[from.SEID]; one != nil && from.HasSEID && one.owns(from.Peer.Addr()) {
		return one.CP
	}
	return 0
}

// CPFSEID is a session's CP F-SEID.
func (l *Sessions) CPFSEID(one *Session) (cp uint64, at netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return one.CP, addressIn(one.CPAddress)
}

// SetCP replaces a session's CP F-SEID. Its reports go to the new address, which owns the session
// as the first one did (TS 29.244 table 7.5.4.1-1).
func (l *Sessions) SetCP(one *Session, cp uint64, at [16]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one.CP, one.CPAddress = cp, at
}

// SetRules makes rules the session's, whose lock is held.
func (l *Sessions) SetRules(one *Session, rules *session.Rules) {
	packed := session.Pack(rules)
	l.mu.Lock()
	defer l.mu.Unlock()
	one.Rules = packed
}

// RulesOf returns a copy of a session's rules, nil when there are none.
func (l *Sessions) RulesOf(seid uint64) *session.Rules {
	l.mu.Lock()
	var rules session.Packed
	if one := l.BySEID[seid]; one != nil {
		rules = one.Rules
	}
	l.mu.Unlock()
	return rules.Rules()
}

// AssociationsOf lists the associations that have one of the sessions.
func (l *Sessions) AssociationsOf(seids []uint64) (list []*Association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := map[*Association]bool{}
	for _, seid := range seids {
		if one := l.BySEID[seid]; one != nil && !seen[one.Association] {
			seen[one.Association] = true
			list = append(list, one.Association)
		}
	}
	return list
}

// Release frees the keys of a session's rules.
func (l *Sessions) Release(rules *session.Rules, seid uint64) {
	l.TEIDs.Free(keys.TEIDsOf(rules))
	l.Addresses.Free(keys.AddressesOf(rules))
	l.Remotes.Replace(rules, nil, seid)
}

// Claim takes the keys of the rules of a session that is restored.
func (l *Sessions) Claim(rules *session.Rules, seid uint64) {
	for _, teid := range keys.TEIDsOf(rules) {
		l.TEIDs.Claim(teid, seid)
	}
	for _, ue := range keys.AddressesOf(rules) {
		l.Addresses.Claim(ue, seid)
	}
	l.Remotes.Replace(nil, rules, seid)
}

// Info is a session as it is now. Its rules are a copy.
type Info struct {
	SEID, CPSEID uint64
	Node         string         // of the association
	Peer         netip.AddrPort // the same
	Rules        *session.Rules
	Held         int // packets that are buffered
}

func (l *Sessions) Info(one *Session) (Info, bool) {
	one.Lock()
	defer one.Unlock()
	rules := one.Rules.Rules()
	if rules == nil {
		return Info{}, false
	}
	held := 0
	if b := one.Holds(); b != nil {
		held = len(b.Packets)
	}
	cp, _ := l.CPFSEID(one)
	a := one.Association
	return Info{SEID: one.Up, CPSEID: cp, Node: a.Node, Peer: a.Peer, Rules: rules, Held: held}, true
}

// sessionList is an association's sessions, in no order.
type sessionList []*Session

func (l *sessionList) add(one *Session) {
	one.Place = int32(len(*l))
	*l = append(*l, one)
}

func (l *sessionList) remove(one *Session) {
	last := len(*l) - 1
	moved := (*l)[last]
	(*l)[one.Place], moved.Place = moved, one.Place
	(*l)[last] = nil
	*l = (*l)[:last]
}

func randomSEID() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.BigEndian.Uint64(b[:])
}
