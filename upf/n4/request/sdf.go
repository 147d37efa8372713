package request

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// Flags of an SDF Filter IE (TS 29.244 clause 8.2.5), in the order of the fields.
const (
	SDFFD  = 1 << 0 // flow description
	SDFTTC = 1 << 1 // ToS or traffic class
	sdfSPI = 1 << 2
	sdfFL  = 1 << 3 // flow label
	sdfBID = 1 << 4 // SDF Filter ID
)

// reference is an SDF filter of a PDR that another PDR defines: the PDR gives its ID alone.
type reference struct {
	PDR    uint16
	Filter uint32
}

// decodeFilter reads an SDF Filter IE. One that has an ID alone refers to the filter
// that was given with it.
func (p *PDRChange) decodeFilter(i *ie.IE) (f session.Filter, refers bool, err error) {
	if len(i.Payload) < 2 {
		return f, false, badLength(ie.SDFFilter)
	}
	flags, rest := i.Payload[0], i.Payload[2:]
	if flags&SDFFD != 0 {
		text, after, ok := takeText(rest)
		if !ok {
			return f, false, badLength(ie.SDFFilter)
		}
		if f, err = ParseFlow(text); err != nil {
			return f, false, p.Failure("SDF filter %q: %v", text, err)
		}
		rest = after
	}
	if !takeFields(&f, flags, rest) {
		return f, false, badLength(ie.SDFFilter)
	}
	if flags&(SDFFD|SDFTTC|sdfSPI|sdfFL) == 0 && flags&sdfBID == 0 {
		return f, false, p.Failure("an SDF filter with nothing to match")
	}
	return f, flags&(SDFFD|SDFTTC|sdfSPI|sdfFL) == 0, nil
}

// takeText takes a flow description and its length off.
func takeText(b []byte) (text string, rest []byte, ok bool) {
	if len(b) < 2 {
		return "", nil, false
	}
	n := 2 + int(binary.BigEndian.Uint16(b))
	if len(b) < n {
		return "", nil, false
	}
	return string(b[2:n]), b[n:], true
}

// takeFields reads what follows the flow description; false when it is not all there.
func takeFields(f *session.Filter, flags byte, b []byte) bool {
	for _, field := range []struct {
		flag byte
		size int
		read func([]byte)
	}{
		{SDFTTC, 2, func(b []byte) { f.TOS, f.TOSMask = b[0], b[1] }},
		{sdfSPI, 4, func(b []byte) { f.SPI, f.HasSPI = binary.BigEndian.Uint32(b), true }},
		{sdfFL, 3, func(b []byte) { f.FlowLabel, f.HasFlowLabel = flowLabel(b), true }},
		{sdfBID, 4, func(b []byte) { f.ID = binary.BigEndian.Uint32(b) }},
	} {
		if flags&field.flag == 0 {
			continue
		}
		if len(b) < field.size {
			return false
		}
		field.read(b)
		b = b[field.size:]
	}
	return true
}

// flowLabel is the 20 bits of a flow label.
func flowLabel(b []byte) uint32 {
	return uint32(b[0]&0xf)<<16 | uint32(b[1])<<8 | uint32(b[2])
}

var errFlow = errors.New(`it is not "permit out PROTOCOL from ADDRESS [PORTS] to ADDRESS [PORTS]"`)

// ParseFlow reads a flow description, an IPFilterRule (RFC 6733 clause 4.3.1) as TS
// 29.212 clause 5.4.2 narrows it. "out" is towards the UE: "from" is the other end,
// "to" the UE's. "in" is the other way round.
func ParseFlow(text string) (f session.Filter, err error) {
	w := strings.Fields(strings.TrimRight(text, "\x00"))
	if len(w) < 7 || w[0] != "permit" || w[1] != "out" && w[1] != "in" || w[3] != "from" {
		return f, errFlow
	}
	if f.Protocol, f.HasProtocol, err = parseProtocol(w[2]); err != nil {
		return f, err
	}
	out := w[1] == "out"
	from, rest, err := parseEnd(w[4:])
	if err != nil {
		return f, err
	}
	if len(rest) < 2 || rest[0] != "to" {
		return f, errFlow
	}
	to, rest, err := parseEnd(rest[1:])
	if err != nil {
		return f, err
	}
	if len(rest) > 0 {
		return f, fmt.Errorf("option %q is not supported", rest[0])
	}
	if !out {
		from, to = to, from
	}
	f.Remote, f.RemotePorts, f.Local, f.LocalPorts = from.prefix, from.ports, to.prefix, to.ports
	return f, nil
}

// flowEnd is an address, invalid for any, and ports.
type flowEnd struct {
	prefix netip.Prefix
	ports  []session.Ports
}

// parseEnd reads the words of one end.
func parseEnd(w []string) (e flowEnd, rest []string, err error) {
	if e.prefix, err = parsePrefix(w[0]); err != nil {
		return e, nil, err
	}
	if len(w) < 2 || w[1] == "to" || w[1][0] < '0' || w[1][0] > '9' {
		return e, w[1:], nil
	}
	e.ports, err = parsePorts(w[1])
	return e, w[2:], err
}

// parseProtocol reads a number, "ip" for any, or one of the names that control planes
// use instead of numbers.
func parseProtocol(word string) (protocol uint8, has bool, err error) {
	names := map[string]uint8{"icmp": 1, "tcp": 6, "udp": 17, "esp": 50, "ah": 51, "sctp": 132}
	if protocol, has = names[word]; has || word == "ip" {
		return protocol, has, nil
	}
	n, err := strconv.ParseUint(word, 10, 8)
	if err != nil {
		return 0, false, fmt.Errorf("protocol %q: give ip or 0..255", word)
	}
	return uint8(n), true, nil
}

// parsePrefix reads an address or a prefix; invalid for "any" and for "assigned", which
// the PDI's UE IP Address says.
func parsePrefix(word string) (netip.Prefix, error) {
	switch word {
	case "any", "assigned", "0.0.0.0/0":
		return netip.Prefix{}, nil
	}
	if p, err := netip.ParsePrefix(word); err == nil {
		return p.Masked(), nil
	}
	a, err := netip.ParseAddr(word)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("address %q: give any, assigned, an address or a prefix", word)
	}
	return netip.PrefixFrom(a, a.BitLen()), nil
}

// parsePorts reads "80,443,1000-2000".
func parsePorts(word string) (list []session.Ports, err error) {
	for _, part := range strings.Split(word, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		a, err1 := strconv.ParseUint(low, 10, 16)
		b, err2 := strconv.ParseUint(high, 10, 16)
		if err1 != nil || err2 != nil || a > b {
			return nil, fmt.Errorf("ports %q: give numbers or low-high", part)
		}
		list = append(list, session.Ports{Low: uint16(a), High: uint16(b)})
	}
	return list, nil
}
