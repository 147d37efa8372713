package xdp

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath"
)

// watch is a count under way.
type watch struct{ *watched }

// Watch counts packets by tunnel and UE address. While it is open, programs that count as well as
// forward replace those that only forward.
func (d *Datapath) Watch() (datapath.Watch, error) {
	w, err := d.watchPrograms(false, func(*watchedPorts) error { return nil })
	if err != nil {
		return nil, err
	}
	return watch{w}, nil
}

// Counts implements datapath.Watch. Octets are those of frames without FCS.
func (w watch) Counts() (map[datapath.WatchKey]datapath.WatchCount, error) {
	all := map[datapath.WatchKey]datapath.WatchCount{}
	var key watchedSeenKey
	var n watchedSeenCount
	entries := w.objects.Counts.Iterate()
	for entries.Next(&key, &n) {
		all[watchKeyOf(key)] = datapath.WatchCount{Packets: n.Packets, Octets: n.Octets, Dropped: n.Dropped}
	}
	if err := entries.Err(); err != nil && len(all) == 0 { // else it changes while it is read
		return nil, fmt.Errorf("xdp: read the counts of sessions: %w", err)
	}
	return all, nil
}

// Close implements datapath.Watch.
func (w watch) Close() error { return w.close() }

// The values of enum seen_kind in bpf/watch.h.
const (
	seenTEID = 1 + iota
	seenIPv4
	seenIPv6
)

func wireWatchKey(k datapath.WatchKey) watchedSeenKey {
	switch {
	case !k.UE.IsValid():
		return watchedSeenKey{Kind: seenTEID, Id: uint64(wireTEID(k.TEID))}
	case k.UE.Is4():
		return watchedSeenKey{Kind: seenIPv4, Id: uint64(wire(k.UE))}
	}
	b := k.UE.As16()
	return watchedSeenKey{Kind: seenIPv6, Id: binary.NativeEndian.Uint64(b[:])}
}

func watchKeyOf(w watchedSeenKey) datapath.WatchKey {
	var b [16]byte
	binary.NativeEndian.PutUint64(b[:], w.Id)
	switch w.Kind {
	case seenTEID:
		return datapath.WatchKey{TEID: binary.BigEndian.Uint32(b[:])}
	case seenIPv4:
		return datapath.WatchKey{UE: netip.AddrFrom4([4]byte(b[:4]))}
	}
	return datapath.WatchKey{UE: netip.AddrFrom16(b)}
}
