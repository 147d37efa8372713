package interop

import (
	"encoding/binary"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"

	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// ends are the addresses of the lab's packets, and the TEID and address of the tunnel to the UPF, as an F-TEID has them.
type ends struct {
	ue, dn netip.Addr
	fteid  string
}

// sample is a packet of UDP between the lab's UE and host.
type sample struct {
	remote, local uint16 // the ports of the host and of the UE
	qfi           uint8  // that an uplink packet has
	tunnel        tunnel // that an uplink packet is sent into
}

// certainty is whether a PDR matches a packet.
type certainty int

const (
	never certainty = iota
	maybe           // the lab does not read all that the PDR asks for
	surely
)

// narrowing are IEs of a PDI that the lab does not read.
var narrowing = []uint16{ie.ApplicationID, ie.EthernetPDUSessionInformation, ie.EthernetPacketFilter, ie.TrafficEndpointID}

// sample is a packet that a PDR is sure to match.
func (s state) sample(pdr uint64) (sample, bool) {
	for _, f := range s.filters[pdr] {
		if k, ok := f.sample(s.ends); ok {
			return k, !narrowed(s.pdrs[pdr])
		}
	}
	return sample{}, false
}

// match tells whether a PDR matches a packet of its direction.
func (s state) match(pdr uint64, k *sample, up bool) (is certainty) {
	rule := s.pdrs[pdr]
	if asked := rule.find(ie.PDI).all(ie.QFI); up && len(asked) > 0 &&
		!slices.ContainsFunc(asked, func(e *tree) bool { return e.octet(0) == k.qfi }) {
		return never
	}
	for _, f := range s.filters[pdr] {
		is = max(is, f.match(k, s.ends))
	}
	other := up && s.tunnels[pdr] != k.tunnel // a UPF may choose the same one again
	if is == surely && (narrowed(rule) || other) {
		return maybe
	}
	return is
}

func narrowed(rule *tree) bool {
	pdi := rule.find(ie.PDI)
	return slices.ContainsFunc(narrowing, func(typ uint16) bool { return pdi.find(typ) != nil })
}

// filtersOf are the SDF Filters of a PDR, of which one has to match; a PDR without them has one that all packets match.
func (s state) filtersOf(rule *tree) (list []filter) {
	all := rule.find(ie.PDI).all(ie.SDFFilter)
	if len(all) == 0 {
		return []filter{{read: true, udp: true}}
	}
	for _, e := range all {
		v := sdfOf(e.value)
		if v.text == "" && v.id != 0 && !v.more {
			v = s.described(v.id)
		}
		f := filterOf(v.text)
		f.read = f.read && !v.more
		list = append(list, f)
	}
	return list
}

// described is the SDF Filter with a flow description that has an ID: a bidirectional one is named by it in the other
// direction (TS 29.244 clause 8.2.5).
func (s state) described(id uint64) sdf {
	for _, rule := range s.pdrs {
		for _, e := range rule.find(ie.PDI).all(ie.SDFFilter) {
			if v := sdfOf(e.value); v.id == id && v.text != "" {
				return v
			}
		}
	}
	return sdf{}
}

// sdf is what an SDF Filter has: a flow description, the ID of a bidirectional filter, and whether there is more, such as a
// traffic class.
type sdf struct {
	text string
	id   uint64
	more bool
}

// sdfOf reads an SDF Filter (TS 29.244 clause 8.2.5). One that is cut off has more than the lab reads.
func sdfOf(v []byte) (f sdf) {
	const fd, bid = 1, 1 << 4
	if len(v) < 2 || v[0]&^(fd|bid) != 0 {
		return sdf{more: true}
	}
	rest := v[2:]
	if v[0]&fd != 0 {
		if len(rest) < 2 || len(rest) < 2+int(binary.BigEndian.Uint16(rest)) {
			return sdf{more: true}
		}
		n := 2 + int(binary.BigEndian.Uint16(rest))
		f.text, rest = string(rest[2:n]), rest[n:]
	}
	if v[0]&bid != 0 {
		if len(rest) < 4 {
			return sdf{more: true}
		}
		f.id = uint64(binary.BigEndian.Uint32(rest))
	}
	return f
}

// filter is a flow description. A prefix that is not valid is any address, and no ports are any port.
type filter struct {
	read, udp     bool // it was understood; packets of UDP can match
	remote, local netip.Prefix
	remotePorts   []ports
	localPorts    []ports
}

type ports struct{ first, last uint16 }

var flowForm = regexp.MustCompile(`^permit out (\S+) from (\S+)( [0-9,-]+)? to (\S+)( [0-9,-]+)?$`)

// filterOf reads a flow description.
func filterOf(text string) (f filter) {
	m := flowForm.FindStringSubmatch(text)
	if m == nil {
		return f
	}
	ok := [4]bool{}
	f.remote, ok[0] = prefixOf(m[2], "any")
	f.remotePorts, ok[1] = portsOf(m[3])
	f.local, ok[2] = prefixOf(m[4], "any", "assigned")
	f.localPorts, ok[3] = portsOf(m[5])
	number, err := strconv.ParseUint(m[1], 10, 8)
	f.udp = slices.Contains([]string{"ip", "17", "udp"}, m[1])
	f.read = !slices.Contains(ok[:], false) && (f.udp || err == nil && number > 0 || slices.Contains([]string{"tcp", "icmp", "sctp"}, m[1]))
	return f
}

// prefixOf reads an address or a prefix, which is not valid for words that mean any.
func prefixOf(text string, any ...string) (netip.Prefix, bool) {
	if slices.Contains(any, text) {
		return netip.Prefix{}, true
	}
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err == nil
}

// portsOf reads ports: " 80,90-99".
func portsOf(text string) (list []ports, ok bool) {
	if text == "" {
		return nil, true
	}
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		from, to, span := strings.Cut(part, "-")
		if !span {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 16)
		last, err2 := strconv.ParseUint(to, 10, 16)
		if err != nil || err2 != nil || first > last {
			return nil, false
		}
		list = append(list, ports{uint16(first), uint16(last)})
	}
	return list, true
}

// sample is a packet that the filter matches.
func (f *filter) sample(e ends) (k sample, ok bool) {
	k = sample{remote: portIn(f.remotePorts, b.RemotePort), local: portIn(f.localPorts, b.LocalPort)}
	return k, k.remote != 0 && k.local != 0 && f.match(&k, e) == surely
}

// portIn is a port of a list: the usual one if it has that.
func portIn(list []ports, usual uint16) uint16 {
	if len(list) == 0 || within(list, usual) {
		return usual
	}
	return max(list[0].first, min(1, list[0].last))
}

func within(list []ports, port uint16) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(p ports) bool { return p.first <= port && port <= p.last })
}

// match tells whether the filter matches a packet.
func (f *filter) match(k *sample, e ends) certainty {
	switch {
	case !f.read:
		return maybe
	case !f.udp, f.remote.IsValid() && !f.remote.Contains(e.dn), f.local.IsValid() && !f.local.Contains(e.ue),
		!within(f.remotePorts, k.remote), !within(f.localPorts, k.local):
		return never
	}
	return surely
}
