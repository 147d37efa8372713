package xdp

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"net/netip"
	"slices"
	"sync/atomic"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/upf/session"
)

// direct are the rules that packets find by their place in a table: uplink by the low bits of
// the TEID, downlink by the UE's address in a span of the pools. Setting one is a store into
// memory that the programs share.
type direct struct {
	up, down *page[uint64]
	spans    []upfSpan
	// displaced are TEIDs whose place another one has; they are in the map.
	displaced map[key]bool
}

// The smallest table by TEID: a rule has the other 16 bits of its TEID.
const minDirect = 1 << 16

// directSize is how many places the table by TEID has, a power of two.
func directSize(keys uint32) uint32 { return max(minDirect, uint32(1)<<bits.Len32(keys-1)) }

// spansOf gives each pool of IPv4 addresses a share of so many places, the small ones all that
// they need.
func spansOf(pools []netip.Prefix, places uint32) []upfSpan {
	four := slices.DeleteFunc(slices.Clone(pools), func(p netip.Prefix) bool { return !p.Addr().Is4() })
	slices.SortStableFunc(four, func(a, b netip.Prefix) int { return cmp.Compare(b.Bits(), a.Bits()) })
	spans, at := make([]upfSpan, 0, len(four)), uint32(0)
	for i, p := range four {
		first := p.Masked().Addr().As4()
		count := min(uint64(1)<<(32-p.Bits()), uint64((places-at)/uint32(len(four)-i)))
		spans = append(spans, upfSpan{First: binary.BigEndian.Uint32(first[:]), Count: uint32(count), At: at})
		at += uint32(count)
	}
	return spans
}

// directSpans are the spans of a configuration. Twice as many addresses as sessions are likely
// to hold those that are given.
func directSpans(cfg Config) []upfSpan {
	return spansOf(cfg.UEPools, 2*uint32(tableSize(cfg.MaxSessions)))
}

// places is how many places the spans take.
func places(spans []upfSpan) (n uint32) {
	for _, s := range spans {
		n += s.Count
	}
	return n
}

func configureDirect(spec *ebpf.CollectionSpec, cfg Config) error {
	spans := directSpans(cfg)
	size := directSize(uint32(tableSize(cfg.MaxSessions)))
	spec.Maps[upfMapUplinkDirect].MaxEntries = size
	spec.Maps[upfMapDownlinkDirect].MaxEntries = max(1, places(spans))
	var list [MaxPools]upfSpan
	copy(list[:], spans)
	v := spec.Variables
	return cmp.Or(v[upfVarSpans].Set(list), v[upfVarSpanCount].Set(uint32(len(spans))), v[upfVarUplinkMask].Set(size-1))
}

// openDirect maps the tables, which are loaded.
func openDirect(o *upfObjects, cfg Config) (d direct, err error) {
	d.spans, d.displaced = directSpans(cfg), map[key]bool{}
	if d.up, err = mapPage[uint64](o.UplinkDirect); err == nil {
		d.down, err = mapPage[uint64](o.DownlinkDirect)
	}
	return d, err
}

// ruleDirect is RULE_DIRECT of bpf/rules.h.
const ruleDirect = 0x80

// place is the key's place, which may be another's, and what a rule there has beside the rule
// itself.
func (d *direct) place(k key) (place *uint64, mark uint64) {
	if k.ipv6 || k.bits > 0 {
		return nil, 0
	}
	id := binary.BigEndian.Uint32(k.id[:])
	if k.source == session.Access {
		return &d.up.entries[id&uint32(len(d.up.entries)-1)], ruleDirect<<40 | uint64(id>>16)<<48
	}
	for _, s := range d.spans {
		if id-s.First < s.Count {
			return &d.down.entries[id-s.First+s.At], ruleDirect << 40
		}
	}
	return nil, 0
}

// set makes the key's place hold the entry, or none. False: it has no place.
func (d *direct) set(k key, e *entry) bool {
	place, mark := d.place(k)
	if place == nil || d.displaced[k] {
		if e == nil {
			delete(d.displaced, k)
		}
		return false
	}
	if k.source == session.Access {
		const whose = 0xffff<<48 | ruleDirect<<40
		if was := *place; was != 0 && was&whose != mark {
			d.displaced[k] = true
			return false
		}
	}
	word := uint64(0)
	if e != nil {
		word = uint64(e.rule) | mark
	}
	atomic.StoreUint64(place, word)
	return true
}
