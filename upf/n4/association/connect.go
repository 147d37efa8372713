package association

import (
	"maps"
	"net/netip"
	"slices"
	"time"
)

// Connection is a CP function that the server sets an association up with (TS 29.244
// clause 6.2.6.3). The lock of associations guards it.
type Connection struct {
	To   netip.AddrPort
	busy bool      // a request waits for its answer
	next time.Time // when to try again
	// again: the CP function restarted, and has forgotten the association.
	again bool
}

// ToConnect lists the CP functions to be asked now, which are busy from then on.
func (l *liveness) ToConnect(now time.Time) (list []*Connection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.connections {
		if !c.busy && !now.Before(c.next) && !l.leaving && (c.again || !l.isAssociated(c.To.Addr())) {
			c.busy, c.again = true, false
			list = append(list, c)
		}
	}
	return list
}

// connectAgain has the association with a restarted CP function set up anew, where that
// is the server's to do. The lock is held.
func (l *table) connectAgain(address netip.Addr) {
	for _, c := range l.connections {
		if c.To.Addr() == address {
			c.again = true
		}
	}
}

// ConnectLater ends an attempt; the next one is due after some time, if it is needed.
func (l *liveness) ConnectLater(c *Connection, now time.Time, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.busy, c.next = false, now.Add(after)
}

// isAssociated reports whether a CP function at the address has an association. The
// lock is held.
func (l *table) isAssociated(address netip.Addr) bool {
	for _, a := range l.Nodes {
		if a.speaks(address) {
			return true
		}
	}
	return false
}

// Leave refuses new sessions and associations from now on, and lists the associations.
func (l *Associations) Leave() []*Association {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaving = true
	return slices.Collect(maps.Values(l.Nodes))
}

// Silence notes that the CP function did not answer when it was asked to release.
func (l *Associations) Silence(a *Association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.mute = true
}

// Awaited is how many associations are still to be released: those whose CP function
// answers.
func (l *Associations) Awaited() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.Nodes {
		if !a.mute {
			n++
		}
	}
	return n
}
