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

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
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

// outerTTL is OUTER_TTL of bpf/outer6.h.
const outerTTL = 64

// outerSum adds up the 16-bit words of the outer IPv4 header that are the same
// in every packet, in host order and unfolded (RFC 1071). The program adds
// length, identification and destination.
func outerSum(source [4]byte) uint32 {
	header := [20]byte{0: 0x45, 8: outerTTL, 9: 17}
	copy(header[12:16], source[:])
	return uint32(checksum.Sum(header[:]))
}

// configureN6 has the programs take tunnels on N6, where it has addresses for them.
func configureN6(spec *ebpf.CollectionSpec, n datapath.N6Tunnels) error {
	if !n.Any() {
		return nil
	}
	errs := []error{
		spec.Variables[upfVarN6Tunnels].Set(uint32(1)),
		spec.Variables[upfVarN6Port].Set(n.Port<<8 | n.Port>>8),
	}
	if n.Address.IsValid() {
		errs = append(errs, spec.Variables[upfVarN6Address].Set(wire(n.Address)))
	}
	if n.Address6.IsValid() {
		spec.Maps[upfMapPeers6].MaxEntries = maxPeers
		errs = append(errs, spec.Variables[upfVarN6Address6].Set(wire6(n.Address6.As16())))
	}
	return errors.Join(errs...)
}

// configureOuter6 has the programs take tunnels over IPv6, where N3 has an address.
func configureOuter6(spec *ebpf.CollectionSpec, address netip.Addr) error {
	if !address.IsValid() {
		return nil
	}
	spec.Maps[upfMapPeers6].MaxEntries = maxPeers
	return errors.Join(
		spec.Variables[upfVarOuter6].Set(uint32(1)),
		spec.Variables[upfVarN3Address6].Set(wire6(address.As16())),
	)
}

// meterKey is whose meter it is: the PDRs of a session that name a QER share one for
// each direction. It goes on as long as the rate and its window are the same.
type meterKey struct {
	seid uint64
	rate uint64 // plan.Rate, packed
	qer  uint32
	from session.Interface
}

// meterUse is a meter's number, and how many rows name it.
type meterUse struct{ number, uses uint32 }

// holdMeter gives the number of a meter, which it makes when there is none.
func (c *chains) holdMeter(k meterKey) (uint32, error) {
	use := c.meters[k]
	if use.uses == 0 {
		number, m, err := c.rates.take()
		if err != nil {
			return 0, fmt.Errorf("xdp: add the meter of QER %d: %w", k.qer, err)
		}
		*m = upfMeter{Rate: k.rate}
		use.number = number
	}
	use.uses++
	c.meters[k] = use
	return use.number, nil
}

// releaseMeters takes rows' uses back and gives the numbers of meters that have none
// left.
func (c *chains) releaseMeters(keys []meterKey) (unused []uint32) {
	for _, k := range keys {
		use := c.meters[k]
		if use.uses--; use.uses == 0 {
			unused = append(unused, use.number)
			delete(c.meters, k)
			continue
		}
		c.meters[k] = use
	}
	return unused
}
