package forward

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath"
)

// watch reads the rules' own counts: they are counted in any case.
type watch struct{ shared *Shared }

// Watch reads the packets that each rule has counted.
func (c Control) Watch() (datapath.Watch, error) { return watch(c), nil }

// Counts implements datapath.Watch. Octets are those of T-PDUs; drops are not counted by rule.
func (w watch) Counts() (map[datapath.WatchKey]datapath.WatchCount, error) {
	defer w.shared.Give()
	return w.shared.Take().came(), nil
}

// Close implements datapath.Watch.
func (w watch) Close() error { return nil }

func (t *Table) came() map[datapath.WatchKey]datapath.WatchCount {
	all := map[datapath.WatchKey]datapath.WatchCount{}
	add := func(k datapath.WatchKey, r *rule) {
		if c := r.came; c.Packets > 0 {
			sum := all[k]
			all[k] = datapath.WatchCount{Packets: sum.Packets + c.Packets, Octets: sum.Octets + c.Octets}
		}
	}
	for teid, r := range t.uplink {
		add(datapath.WatchKey{TEID: teid}, r)
	}
	for teid, r := range t.uplink6 {
		add(datapath.WatchKey{TEID: teid}, r)
	}
	for ue, r := range t.downlink {
		add(datapath.WatchUE(netip.AddrFrom4(ue)), r)
	}
	for p, r := range t.prefixes.rules {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:], p.address[0])
		add(datapath.WatchUE(netip.AddrFrom16(b)), r)
	}
	return all
}
