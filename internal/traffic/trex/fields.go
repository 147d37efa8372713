package trex

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/internal/traffic"
)

// Where a frame of upflab's has what differs from session to session, and the checksums.
const (
	outerIP    = 14
	outerUDP   = outerIP + 20
	teidAt     = outerUDP + 8 + 4
	qfiAt      = outerUDP + 8 + 14
	tunnelEnd  = outerIP + traffic.TunnelBytes
	sourceAt   = 12 // in an IPv4 header
	destinedAt = 16
	checkAt    = 6 // in a UDP header
)

// maxList is how many values TRex takes as a list.
const maxList = 65535

// field is a part of the frame that may differ from session to session.
type field struct {
	name   string
	offset int
	size   int      // octets: 1, 4
	values []uint64 // by session
	within int      // offset of the IPv4 header that covers it; -1: none
}

// innerIP is where the inner packet begins.
func innerIP(f *traffic.Flow) int {
	if f.Uplink() {
		return tunnelEnd
	}
	return outerIP
}

// fieldsOf are the fields of a flow's frames.
func fieldsOf(f *traffic.Flow) []field {
	inner := innerIP(f)
	if !f.Uplink() {
		return []field{{"ue", inner + destinedAt, 4, each(f, ueOf), inner}}
	}
	return []field{
		{"ue", inner + sourceAt, 4, each(f, ueOf), inner},
		{"teid", teidAt, 4, each(f, func(s traffic.Stream) uint64 { return uint64(s.UplinkTEID) }), -1},
		{"qfi", qfiAt, 1, each(f, func(s traffic.Stream) uint64 { return uint64(f.QFIOf(s)) }), -1},
		{"gnb", outerIP + sourceAt, 4, each(f, func(s traffic.Stream) uint64 { return number(f.GNBOf(s)) }), outerIP},
	}
}

func each(f *traffic.Flow, value func(traffic.Stream) uint64) []uint64 {
	list := make([]uint64, len(f.Streams))
	for i, s := range f.Streams {
		list[i] = value(s)
	}
	return list
}

func ueOf(s traffic.Stream) uint64 { return number(s.UE) }

func number(a netip.Addr) uint64 {
	b := a.As4()
	return uint64(binary.BigEndian.Uint32(b[:]))
}

// instructions are TRex's for the fields that differ: all step once a packet, from the first
// session's value to the last one's and again, so that they go together. On each of TRex's
// cores they begin with the first session.
func instructions(f *traffic.Flow) ([]map[string]any, error) {
	var list []map[string]any
	var covered []int
	for _, x := range fieldsOf(f) {
		if x.constant() {
			continue
		}
		v, err := x.variable()
		if err != nil {
			return nil, err
		}
		list = append(list, v, map[string]any{"type": "write_flow_var", "name": x.name, "pkt_offset": x.offset,
			"add_value": 0, "is_big_endian": true})
		if x.within >= 0 && !slices.Contains(covered, x.within) {
			covered = append(covered, x.within)
		}
	}
	for _, at := range covered {
		list = append(list, map[string]any{"type": "fix_checksum_ipv4", "pkt_offset": at})
	}
	return list, nil
}

func (x field) constant() bool {
	return !slices.ContainsFunc(x.values, func(v uint64) bool { return v != x.values[0] })
}

// variable is a progression where the values are one, else a list.
func (x field) variable() (map[string]any, error) {
	v := map[string]any{"type": "flow_var", "name": x.name, "size": x.size, "op": "inc", "split_to_cores": false, "step": 1}
	if step := x.step(); step > 0 {
		// TRex widens a range that is no multiple of the step, so it is made one.
		last := x.values[len(x.values)-1] + step - 1
		v["init_value"], v["min_value"], v["max_value"], v["step"] = x.values[0], x.values[0], last, step
		return v, nil
	}
	if len(x.values) > maxList {
		return nil, fmt.Errorf("%d sessions whose %s values lie at no equal distance: TRex takes a list of %d at "+
			"most; set sessions lower, or teid.assign=smf", len(x.values), x.name, maxList)
	}
	v["value_list"] = x.values
	return v, nil
}

// step is the distance of the values from one to the next; 0: it is not the same for all,
// or the range ends too close to the field's.
func (x field) step() uint64 {
	if x.values[1] <= x.values[0] {
		return 0
	}
	step := x.values[1] - x.values[0]
	for i := 1; i < len(x.values); i++ {
		if x.values[i] != x.values[i-1]+step {
			return 0
		}
	}
	if x.values[len(x.values)-1]+step > 1<<(8*x.size)-1 {
		return 0
	}
	return step
}
