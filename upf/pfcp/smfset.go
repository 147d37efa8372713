package pfcp

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
)

// smfSet is what an association says of the other SMFs of its SMF's set, which may act for its sessions (TS 29.244
// clause 5.22). The lock of associations guards it.
type smfSet struct {
	features cpFeatures
	set      string       // SMF Set ID, where each SMF of the set has an association; else ""
	others   []netip.Addr // of other SMFs, or of more PFCP entities of this one; the preferred ones first
	// silent are those of the addresses of the set that did not answer, and have not been heard of since: what
	// would go there goes to contact.
	silent []netip.Addr
}

// cpFeatures are octet 5 of CP Function Features (clause 8.2.58).
type cpFeatures uint8

const (
	cpSSET cpFeatures = 1 << 3 // the association is that of a whole set (clause 5.22.2)
	cpMPAS cpFeatures = 1 << 5 // each SMF of the set has one (clause 5.22.3)
)

// maxOthers is how many addresses of other SMFs are kept of an association.
const maxOthers = 16

// setChange is what an Association Setup or Update says of an SMF set.
type setChange struct {
	features    cpFeatures
	hasFeatures bool
	set         string
	others      []families // nil: those of before
}

// decodeSetChange reads CP Function Features, SMF Set ID and Alternative SMF IP Address (table 7.4.4.3-1).
func decodeSetChange(f fields) (c setChange, err error) {
	features, has, err := f.may(ie.CPFunctionFeatures, 1)
	if err != nil {
		return c, err
	}
	if len(features) > 0 {
		c.features, c.hasFeatures = cpFeatures(features[0])&(cpSSET|cpMPAS), has
	}
	if id := f.find(ie.SMFSetID); id != nil {
		if len(id.Payload) < 2 {
			return c, badLength(ie.SMFSetID)
		}
		name, ok := fqdn(id.Payload[1:]) // it follows a spare octet (clause 8.2.131)
		if !ok {
			return c, incorrect(ie.SMFSetID, "it is no FQDN")
		}
		c.set = name
	}
	c.others, err = decodeOthers(f)
	return c, err
}

// fqdn reads a domain name, labels of which each has its length before it (TS 23.003 clause 19.4.2.1), in lower case:
// names are compared without it (RFC 4343).
func fqdn(b []byte) (name string, ok bool) {
	var labels []string
	for len(b) > 0 {
		n := int(b[0])
		if n == 0 && len(b) == 1 { // the root
			break
		}
		if n == 0 || n > 63 || len(b) < 1+n {
			return "", false
		}
		labels, b = append(labels, string(b[1:1+n])), b[1+n:]
	}
	return strings.ToLower(strings.Join(labels, ".")), len(labels) > 0
}

// decodeSet reads the same of a setup, which names the set where each SMF of it has an association (table 7.4.4.1-1).
func decodeSet(f fields) (setChange, error) {
	c, err := decodeSetChange(f)
	if err == nil && c.features&cpMPAS != 0 && c.set == "" {
		err = missingConditional(ie.SMFSetID)
	}
	return c, err
}

// decodeOthers reads Alternative SMF IP Addresses (clause 8.2.129), those with PPE first.
func decodeOthers(f fields) (list []families, err error) {
	const preferred = 1 << 2
	var rest []families
	for _, i := range f {
		if i.Type != ie.AlternativeSMFIPAddress {
			continue
		}
		a, err := decodeFamilies(i)
		if err != nil {
			return nil, err
		}
		if i.Payload[0]&preferred != 0 {
			list = append(list, a)
		} else {
			rest = append(rest, a)
		}
	}
	return append(list, rest...), nil
}

// families are the addresses of a CP function.
type families struct{ four, six netip.Addr }

// Flags of an F-SEID (clause 8.2.37) and of other IEs with one address of each family, of which IPv4's is first.
const (
	hasIPv6 = 1 << 0
	hasIPv4 = 1 << 1
)

// addressOctets is how long the addresses are that flags speak of.
func addressOctets(flags byte) (n int) {
	if flags&hasIPv4 != 0 {
		n += 4
	}
	if flags&hasIPv6 != 0 {
		n += 16
	}
	return n
}

// familiesOf reads the addresses that flags speak of; b has room for them.
func familiesOf(flags byte, b []byte) (f families) {
	if flags&hasIPv4 != 0 {
		f.four, b = netip.AddrFrom4([4]byte(b)), b[4:]
	}
	if flags&hasIPv6 != 0 {
		f.six = netip.AddrFrom16([16]byte(b))
	}
	return f
}

// decodeFamilies reads an IE of flags and addresses.
func decodeFamilies(i *ie.IE) (families, error) {
	if len(i.Payload) < 1 || len(i.Payload) < 1+addressOctets(i.Payload[0]) {
		return families{}, badLength(i.Type)
	}
	return familiesOf(i.Payload[0], i.Payload[1:]), nil
}

// of is the address that an N4 of a family sends to; invalid where there is none: its socket does not reach one of the
// other family.
func (f families) of(six bool) netip.Addr {
	a := f.four
	if six {
		a = f.six
	}
	if a.IsUnspecified() || a.Is4In6() {
		return netip.Addr{}
	}
	return a
}

// SMFSet is a configured SMF set: its ID, a domain name, and the addresses of its SMFs. Which set an SMF is of is never
// its own to say: it could take sessions of others over.
type SMFSet struct {
	ID   string
	SMFs []netip.Prefix
}

// setOf is the ID of the configured set of the SMF at the address, in lower case; "": it is of none. The lock is held.
func (l *table) setOf(at netip.Addr) string {
	for i := range l.settings.Sets {
		if s := &l.settings.Sets[i]; slices.ContainsFunc(s.SMFs, func(p netip.Prefix) bool { return p.Contains(at) }) {
			return strings.ToLower(s.ID)
		}
	}
	return ""
}

// setFeatures are the features of SMF sets that the SMF at an address can have: none where it is configured for no set.
func (l *associations) setFeatures(at netip.Addr) cpFeatures {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.setOf(at) == "" {
		return 0
	}
	return cpSSET | cpMPAS
}

// checkClaim refuses an SMF Set ID other than that of the SMF at the address. One that is of no set gets none. The lock
// is held.
func (l *table) checkClaim(c setChange, at netip.Addr) error {
	if own := l.setOf(at); own != "" && c.set != "" && c.set != own {
		return &rejection{cause: ie.CauseRequestRejected, reason: fmt.Sprintf("it names SMF set %q, and n4.sets has %v in %q", c.set, at, own)}
	}
	return nil
}

// claim refuses the same in the answer to the UP function's own setup request.
func (l *associations) claim(p setup, from source) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.checkClaim(p.set, from.peer.Addr())
}

// sharesSet reports whether the address is that of an SMF of the set that has the session.
func (l *associations) sharesSet(one *pduSession, at netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	set := l.setOf(one.association.peer.Addr())
	return set != "" && at.IsValid() && l.setOf(at) == set
}

// takeSet gives the association what is said of its set. The lock is held.
func (l *table) takeSet(a *association, c setChange) {
	if c.hasFeatures {
		a.features = c.features
	}
	if c.others != nil {
		a.others, a.silent = nil, nil
	}
	for _, o := range c.others {
		if at := o.of(l.six); at.IsValid() && at != a.peer.Addr() && !slices.Contains(a.others, at) {
			a.others = append(a.others, at)
		}
	}
	l.bind(a)
}

// bind leaves of an association what its SMF's configured set allows: other addresses are those of the same set. The
// lock is held.
func (l *table) bind(a *association) {
	set := l.setOf(a.peer.Addr())
	if set == "" {
		a.features = 0
	}
	if a.set = set; a.features&cpMPAS == 0 {
		a.set = ""
	}
	if a.features == 0 {
		a.others, a.silent = nil, nil
	}
	a.others = slices.DeleteFunc(slices.Clone(a.others), func(at netip.Addr) bool { return l.setOf(at) != set })
	a.others = a.others[:min(len(a.others), maxOthers)]
}

// changeSet carries out what an update says of the association's set, and gives the features that it has then.
func (l *associations) changeSet(a *association, c setChange) (cpFeatures, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.checkClaim(c, a.peer.Addr()); err != nil {
		return 0, err
	}
	l.takeSet(a, c)
	if l.nodes[a.node] == a { // it may have been made anew, or have ended
		l.kept.association(a)
	}
	return a.features, nil
}

// speaks reports whether messages about the node may come from the address: the owner's, and under SSET any SMF's of the
// set. The lock of associations is held.
func (a *association) speaks(from netip.Addr) bool {
	return a.owns(from) || a.features&cpSSET != 0 && slices.Contains(a.others, from)
}

// contact is where messages of the node go: to its peer, or to the first of the other addresses when that is silent.
// One of them is not, but in turn, where it is invalid then. The lock of associations is held.
func (a *association) contact() netip.Addr {
	if at := a.peer.Addr(); !slices.Contains(a.silent, at) {
		return at
	}
	for _, at := range a.others {
		if !slices.Contains(a.silent, at) {
			return at
		}
	}
	return netip.Addr{}
}

// contact is where messages of the node go.
func (l *associations) contact(a *association) netip.Addr {
	l.mu.Lock()
	defer l.mu.Unlock()
	return a.contact()
}

// members are the other associations of the SMF's set, in the order in which they are chosen to go on with its sessions:
// as its alternative addresses have them, then those that have not left heartbeats unanswered. The lock is held.
func (l *table) members(a *association) (list []*association) {
	if a.set == "" {
		return nil
	}
	for _, m := range l.nodes {
		if m != a && m.set == a.set && !m.ending {
			list = append(list, m)
		}
	}
	place := func(m *association) int {
		if n := slices.Index(a.others, m.peer.Addr()); n >= 0 {
			return n
		}
		return maxOthers
	}
	slices.SortFunc(list, func(m, n *association) int {
		return cmp.Or(cmp.Compare(place(m), place(n)), cmp.Compare(m.beat.pending.Sent, n.beat.pending.Sent), cmp.Compare(m.node, n.node))
	})
	return list
}

// serves reports whether an SMF at the address may act for the sessions of the association though it is not its owner:
// it is of the same set. An alternative address may be that of an SMF without an association of its own or of another
// PFCP entity of the same SMF: which, the IE does not say, so both may act under MPAS, too. a may be nil.
func (l *associations) serves(a *association, from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return a != nil && (slices.Contains(a.others, from) || l.member(a, from) != nil)
}

// member is the association of another SMF of the set that is at the address. The lock is held.
func (l *table) member(a *association, at netip.Addr) *association {
	for _, m := range l.members(a) {
		if m.speaks(at) {
			return m
		}
	}
	return nil
}

// turn has another address of the association asked when its contact did not answer, and reports whether there is one.
// Where the set has another association, that goes on with the sessions. The lock is held.
func (l *table) turn(a *association, now time.Time) bool {
	if len(l.members(a)) > 0 {
		return false
	}
	a.silent = append(slices.Clone(a.silent), a.beat.to)
	to := a.contact()
	if !to.IsValid() {
		a.silent = nil // all are asked again if the association cannot end
		return false
	}
	l.log.Warn("the SMF does not answer heartbeats, another one of its set is asked", "node", a.node, "silent", a.beat.to, "asked", to)
	a.beat = beat{next: now}
	l.kept.association(a)
	return true
}

// heard notes that an SMF lives. The lock is held.
func (l *table) heard(from netip.Addr) {
	for _, a := range l.nodes {
		if slices.Contains(a.silent, from) {
			a.silent = slices.DeleteFunc(slices.Clone(a.silent), func(at netip.Addr) bool { return at == from })
			l.kept.association(a)
		}
	}
}
