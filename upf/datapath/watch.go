package datapath

import "net/netip"

// Watcher is a datapath that counts packets by tunnel and by UE while somebody looks.
type Watcher interface {
	// Watch begins to count, until what it gives is closed.
	Watch() (Watch, error)
}

// Watch is a count under way.
type Watch interface {
	// Counts are totals since some moment before. A key that had no packet for long may
	// be left out, and begin again at 0.
	Counts() (map[WatchKey]WatchCount, error)
	Close() error
}

// WatchKey is what packets are told apart by: the TEID of the tunnel that they came by,
// or else their destination: an IPv4 address, or an IPv6 address whose last 64 bits are 0.
type WatchKey struct {
	TEID uint32
	UE   netip.Addr // invalid: by TEID
}

// WatchCount is packets that came, whatever became of them, their octets as they came,
// and how many of them were dropped, where the datapath knows.
type WatchCount struct{ Packets, Octets, Dropped uint64 }

// WatchUE is the key of a UE.
func WatchUE(a netip.Addr) WatchKey {
	if a.Is4() {
		return WatchKey{UE: a}
	}
	p, _ := a.Prefix(64) // which an IPv6 address has
	return WatchKey{UE: p.Addr()}
}
