package xdp

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"sync/atomic"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/xdp/pages"
	"github.com/upflab/upflab/upf/session"
)

// ruleMaps are the tables that packets find their rule in.
type ruleMaps struct {
	objects *upfObjects
	direct  direct
	lengths lengthList // of UE prefixes
	written lengthList // what the programs have of them
}

func openRuleMaps(o *upfObjects, cfg Config) (r ruleMaps, err error) {
	r.objects = o
	r.direct, err = openDirect(o, cfg)
	return r, err
}

// commit carries the steps out, or undoes those that it did. Packets are looked up by
// the lengths of prefixes that there were and will be, meanwhile.
func (r *ruleMaps) commit(steps []step, after lengthList) error {
	both := union(r.lengths, after)
	if len(both) <= maxLengths {
		r.setLengths(listOf(both))
	}
	for i, s := range steps {
		if s.keeps() {
			continue
		}
		if err := r.set(s.key, s.new); err != nil {
			r.setLengths(r.lengths)
			return errors.Join(err, r.undo(steps[:i]))
		}
	}
	r.setLengths(after)
	r.lengths = after
	return nil
}

// setLengths writes to mapped memory, which cannot fail once it has worked.
func (r *ruleMaps) setLengths(l lengthList) {
	if l == r.lengths && l == r.written {
		return
	}
	_ = r.objects.Lengths6.Set(l)
	r.written = l
}

// undo restores what was, last first.
func (r *ruleMaps) undo(done []step) error {
	var errs []error
	for _, s := range slices.Backward(done) {
		errs = append(errs, r.set(s.key, s.old))
	}
	return errors.Join(errs...)
}

// set makes the map hold the entry, or none.
func (r *ruleMaps) set(k key, e *entry) error {
	if r.direct.set(k, e) {
		return nil
	}
	m, id := k.place(r.objects)
	if e == nil {
		return explainSet(k, "remove", m.Delete(id))
	}
	return explainSet(k, "set", m.Update(id, e.value(), ebpf.UpdateAny))
}

func explainSet(k key, verb string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.E2BIG), errors.Is(err, unix.ENOMEM):
		return fmt.Errorf("xdp: %s the rule of %v: %w: %w", verb, k, datapath.ErrFull, err)
	}
	return fmt.Errorf("xdp: %s the rule of %v: %w", verb, k, err)
}

// place is the map that the key is of, and the key there.
func (k key) place(o *upfObjects) (*ebpf.Map, any) {
	id := [4]byte(k.id[:4])
	switch {
	case k.isUplink6():
		return o.UplinkRules6, id
	case k.source == session.Access:
		return o.UplinkRules, id
	case k.bits > 0:
		return o.DownlinkRules6, upfPrefix6{Address: wire6(k.id), Bits: uint32(k.bits)}
	}
	return o.DownlinkRules, id
}

// value is an entry's rule as the rule maps have it.
func (e *entry) value() any {
	if !e.key.isUplink6() {
		return uint64(e.rule)
	}
	rule := upfUlRule6{Chain: uint32(e.rule), Verdict: e.rule.verdict(), Qfi: uint8(e.rule >> 40)}
	rule.Ue, rule.Mask = wirePrefix6(e.chain.prefix())
	return &rule
}

// prefix is the inner source of a plain rule of IPv6 uplink packets; invalid for any.
func (c *chain) prefix() (p netip.Prefix) {
	if c.chainExtras != nil {
		p = c.ue
	}
	return p
}

// maxLengths is LENGTHS_MAX of bpf/rules.h.
const maxLengths = 8

// lengthList is the lengths that there are, the longest first; 0 ends them.
type lengthList [maxLengths]uint8

// listOf is a list of at most maxLengths.
func listOf(lengths []uint8) (l lengthList) {
	copy(l[:], lengths)
	return l
}

// union are the lengths of both lists.
func union(a, b lengthList) (list []uint8) {
	list = slices.Concat(a[:], b[:])
	slices.SortFunc(list, func(x, y uint8) int { return int(y) - int(x) })
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(x uint8) bool { return x == 0 })
}

// direct are the rules that packets find by their place in a table: uplink by the low bits of
// the TEID, downlink by the UE's address in a span of the pools. Setting one is a store into
// memory that the programs share.
type direct struct {
	up, down *pages.Page[uint64]
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
	if d.up, err = pages.Map[uint64](o.UplinkDirect); err == nil {
		d.down, err = pages.Map[uint64](o.DownlinkDirect)
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
		return &d.up.Entries[id&uint32(len(d.up.Entries)-1)], ruleDirect<<40 | uint64(id>>16)<<48
	}
	for _, s := range d.spans {
		if id-s.First < s.Count {
			return &d.down.Entries[id-s.First+s.At], ruleDirect << 40
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
