package interop

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf/rules"
)

// tree is an IE with its octets.
type tree struct {
	typ   uint16
	value []byte
	ies   []*tree
}

// find is the first IE at the end of a path of types; nil: there is none.
func (t *tree) find(path ...uint16) *tree {
	for _, typ := range path {
		if t == nil {
			return nil
		}
		at := slices.IndexFunc(t.ies, func(e *tree) bool { return e.typ == typ })
		if at < 0 {
			return nil
		}
		t = t.ies[at]
	}
	return t
}

// octet is the n-th octet of an IE; 0: there is none.
func (t *tree) octet(n int) byte {
	if t == nil || n >= len(t.value) {
		return 0
	}
	return t.value[n]
}

// number is a value of at most 8 octets; 0: there is no IE.
func (t *tree) number() (n uint64) {
	if t == nil {
		return 0
	}
	for _, b := range t.value[:min(8, len(t.value))] {
		n = n<<8 | uint64(b)
	}
	return n
}

// state is the rules of a session after some messages, by their IDs.
type state struct {
	pdrs, fars, qers map[uint64]*tree
	gone             bool // the session was deleted
}

// after gives the rules after one more message.
func (s state) after(m *tree) state {
	next := state{copied(s.pdrs), copied(s.fars), copied(s.qers), s.gone}
	for _, e := range m.ies {
		switch e.typ {
		case ie.CreatePDR:
			next.pdrs[e.find(ie.PDRID).number()] = e
		case ie.UpdatePDR:
			merge(next.pdrs, e, ie.PDRID)
		case ie.RemovePDR:
			delete(next.pdrs, e.find(ie.PDRID).number())
		case ie.CreateFAR:
			next.fars[e.find(ie.FARID).number()] = e
		case ie.UpdateFAR:
			merge(next.fars, e, ie.FARID)
		case ie.RemoveFAR:
			delete(next.fars, e.find(ie.FARID).number())
		case ie.CreateQER:
			next.qers[e.find(ie.QERID).number()] = e
		case ie.UpdateQER:
			merge(next.qers, e, ie.QERID)
		case ie.RemoveQER:
			delete(next.qers, e.find(ie.QERID).number())
		}
	}
	return next
}

func copied(m map[uint64]*tree) map[uint64]*tree {
	c := map[uint64]*tree{}
	for k, v := range m {
		c[k] = v
	}
	return c
}

// merge updates a rule: an IE takes the place of those of its type, and those that are not named stay (TS 29.244
// clause 5.2.1). Those of forwarding parameters are updated one by one.
func merge(list map[uint64]*tree, update *tree, id uint16) {
	key := update.find(id).number()
	old := list[key]
	if old == nil {
		return
	}
	list[key] = merged(old, update)
}

func merged(old, update *tree) *tree {
	is := map[uint16]bool{}
	for _, e := range update.ies {
		is[created(e.typ)] = true
	}
	out := &tree{typ: old.typ}
	for _, e := range old.ies {
		if !is[e.typ] || e.typ == ie.ForwardingParameters {
			out.ies = append(out.ies, e)
		}
	}
	for _, e := range update.ies {
		at := slices.IndexFunc(out.ies, func(o *tree) bool { return o.typ == ie.ForwardingParameters })
		if created(e.typ) == ie.ForwardingParameters && at >= 0 {
			out.ies[at] = merged(out.ies[at], e)
		} else {
			out.ies = append(out.ies, &tree{created(e.typ), e.value, e.ies})
		}
	}
	return out
}

// created is the type in a Create FAR of an IE of an Update FAR.
func created(typ uint16) uint16 {
	if typ == ie.UpdateForwardingParameters {
		return ie.ForwardingParameters
	}
	return typ
}

// Values of Source and Destination Interface (TS 29.244 clauses 8.2.2 and 8.2.24).
const (
	access = 0
	core   = 1
	n6LAN  = 2
)

// route is what the rules do with packets of one direction.
type route struct {
	pdr, far uint64
	rule     *tree // the PDR; nil: none matches
	action   rules.Action
	tunnel   *rules.Tunnel // that a downlink packet goes into
	qfi      uint8         // of the QoS flow; 0: none is named
	open     bool          // no gate of the direction is closed
	flow     sample
}

// way finds what becomes of packets: of the PDRs that match the first by precedence.
func (s state) way(up bool) (p route) {
	var best *tree
	for id, rule := range s.pdrs {
		flow, match := matches(rule, up)
		before := best == nil || cmp.Or(cmp.Compare(rule.find(ie.Precedence).number(), best.find(ie.Precedence).number()), cmp.Compare(id, p.pdr)) < 0
		if match && before && !s.gone {
			best, p.pdr, p.flow = rule, id, flow
		}
	}
	if p.rule = best; best == nil {
		return p
	}
	p.far = best.find(ie.FARID).number()
	far := s.fars[p.far]
	if far == nil {
		return route{}
	}
	p.action = rules.Action(far.find(ie.ApplyAction).octet(0))
	p.qfi, p.open = best.find(ie.PDI, ie.QFI).octet(0), true
	for _, e := range best.ies {
		if e.typ != ie.QERID {
			continue
		}
		q := s.qers[e.number()]
		if n := q.find(ie.QFI).octet(0); n != 0 {
			p.qfi = n
		}
		gate := q.find(ie.GateStatus).octet(0)
		if up && gate>>2&3 != 0 || !up && gate&3 != 0 {
			p.open = false
		}
	}
	if header := far.find(ie.ForwardingParameters, ie.OuterHeaderCreation); !up && header != nil && len(header.value) >= 10 {
		p.tunnel = &rules.Tunnel{TEID: binary.BigEndian.Uint32(header.value[2:]), Peer: netip.AddrFrom4([4]byte(header.value[6:10]))}
	}
	return p
}

// forwards: packets of a direction arrive.
func (p *route) forwards(up bool) bool {
	return p.rule != nil && p.open && p.action&rules.Forward != 0 && (up || p.tunnel != nil && p.tunnel.TEID != 0 && !p.tunnel.Peer.IsUnspecified())
}

// unclear: downlink packets are forwarded, and no tunnel is named yet: the specification does not say what becomes of them.
func (p *route) unclear() bool {
	return p.rule != nil && p.open && p.action&rules.Forward != 0 && !p.forwards(false)
}

// holds: downlink packets wait in the UPF.
func (p *route) holds() bool { return p.rule != nil && p.open && p.action&rules.Buffer != 0 }

// matches reports whether packets of UDP can match a PDR of a direction, and how they have to be.
func matches(rule *tree, up bool) (f sample, ok bool) {
	pdi := rule.find(ie.PDI)
	from := pdi.find(ie.SourceInterface)
	if from == nil {
		return f, false
	}
	switch from.octet(0) & 15 {
	case access:
		ok = up && pdi.find(ie.FTEID) != nil
	case core, n6LAN:
		ok = !up && pdi.find(ie.UEIPAddress) != nil
	}
	if filter := pdi.find(ie.SDFFilter); ok && filter != nil {
		return sampleOf(filter.value)
	}
	return f, ok
}

// sample is a packet that a filter matches. A port of 0 may be any; without near the host may be any.
type sample struct {
	near         bool // from the host of the filter
	remote, port uint16
}

var flowForm = regexp.MustCompile(`^permit out (\S+) from (\S+)( [0-9,-]+)? to (\S+)( [0-9,-]+)?$`)

// sampleOf is a packet of UDP that the flow description of an SDF Filter matches.
func sampleOf(v []byte) (s sample, ok bool) {
	if len(v) < 4 || v[0]&1 == 0 || 4+int(binary.BigEndian.Uint16(v[2:])) > len(v) {
		return s, false
	}
	m := flowForm.FindStringSubmatch(string(v[4 : 4+binary.BigEndian.Uint16(v[2:])]))
	if m == nil || m[1] != "ip" && m[1] != "17" && m[1] != "udp" {
		return s, false
	}
	first := func(ports string) uint16 {
		n, _ := strconv.ParseUint(strings.FieldsFunc(ports+" 0", func(r rune) bool { return r == ' ' || r == ',' || r == '-' })[0], 10, 16)
		return uint16(n)
	}
	return sample{near: m[2] != "any", remote: first(m[3]), port: first(m[5])}, true
}

// String names the rules of a route: "PDR 2, FAR 2".
func (p *route) String() string {
	if p.rule == nil {
		return "no PDR matches"
	}
	return fmt.Sprintf("PDR %d, FAR %d", p.pdr, p.far)
}
