package pfcp

import (
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/upf/session"
)

// pduSession is a PFCP session. There may be a million of them, so what only some need is
// elsewhere.
type pduSession struct {
	up, cp      uint64 // SEIDs; the server's lock guards cp
	association *association
	place       int32   // in the association's list; the server's lock guards it
	cpAddress   [4]byte // in the CP F-SEID; zero: it has none

	mu sync.Mutex
	// rules are not there before the session is established, nor after it was deleted. They
	// are replaced with both locks held, the server's too: to read them takes one.
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
	// notices are the IPv6 packets that were answered for the session.
	notices noticeBudget
	// indicated is when an Error Indication was last reported.
	indicated time.Time
	final     *finals // where the usage goes when the session is deleted; nil: nowhere
}

// extra are the session's extras, to be changed.
func (p *pduSession) extra() *extras {
	if p.extras == nil {
		p.extras = &extras{}
	}
	return p.extras
}

// setRules makes rules the session's, whose lock is held.
func (s *Server) setRules(one *pduSession, rules *session.Rules) {
	packed := session.Pack(rules)
	s.mu.Lock()
	defer s.mu.Unlock()
	one.rules = packed
}

// address4 is an IPv4 address, invalid where it is zero.
func address4(b [4]byte) (a netip.Addr) {
	if b != [4]byte{} {
		a = netip.AddrFrom4(b)
	}
	return a
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
