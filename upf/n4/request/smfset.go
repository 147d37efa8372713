package request

import (
	"net/netip"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"
)

// CPFeatures are octet 5 of CP Function Features (clause 8.2.58).
type CPFeatures uint8

const (
	CPSSET CPFeatures = 1 << 3 // the association is that of a whole set (clause 5.22.2)
	CPMPAS CPFeatures = 1 << 5 // each SMF of the set has one (clause 5.22.3)
)

// SetChange is what an Association Setup or Update says of an SMF set.
type SetChange struct {
	Features    CPFeatures
	HasFeatures bool
	Set         string
	Others      []Families // nil: those of before
}

// decodeSetChange reads CP Function Features, SMF Set ID and Alternative SMF IP Address (table 7.4.4.3-1).
func decodeSetChange(f Fields) (c SetChange, err error) {
	features, has, err := f.may(ie.CPFunctionFeatures, 1)
	if err != nil {
		return c, err
	}
	if len(features) > 0 {
		c.Features, c.HasFeatures = CPFeatures(features[0])&(CPSSET|CPMPAS), has
	}
	if id := f.Find(ie.SMFSetID); id != nil {
		if len(id.Payload) < 2 {
			return c, badLength(ie.SMFSetID)
		}
		name, ok := fqdn(id.Payload[1:]) // it follows a spare octet (clause 8.2.131)
		if !ok {
			return c, Incorrect(ie.SMFSetID, "it is no FQDN")
		}
		c.Set = name
	}
	c.Others, err = decodeOthers(f)
	return c, err
}

// fqdn reads a domain name, labels of which each has its length before it (TS 23.003 clause 19.4.2.1), in lower case:
// names are compared without it (RFC 4343).
func fqdn(b []byte) (name string, ok bool) {
	var labels []string
	for len(b) > 0 {
		n := int(b[0])
		if n == 0 && len(b) == 1 { // the root
			break
		}
		if n == 0 || n > 63 || len(b) < 1+n {
			return "", false
		}
		labels, b = append(labels, string(b[1:1+n])), b[1+n:]
	}
	return strings.ToLower(strings.Join(labels, ".")), len(labels) > 0
}

// decodeSet reads the same of a setup, which names the set where each SMF of it has an association (table 7.4.4.1-1).
func decodeSet(f Fields) (SetChange, error) {
	c, err := decodeSetChange(f)
	if err == nil && c.Features&CPMPAS != 0 && c.Set == "" {
		err = MissingConditional(ie.SMFSetID)
	}
	return c, err
}

// decodeOthers reads Alternative SMF IP Addresses (clause 8.2.129), those with PPE first.
func decodeOthers(f Fields) (list []Families, err error) {
	const preferred = 1 << 2
	var rest []Families
	for _, i := range f {
		if i.Type != ie.AlternativeSMFIPAddress {
			continue
		}
		a, err := decodeFamilies(i)
		if err != nil {
			return nil, err
		}
		if i.Payload[0]&preferred != 0 {
			list = append(list, a)
		} else {
			rest = append(rest, a)
		}
	}
	return append(list, rest...), nil
}

// Families are the addresses of a CP function.
type Families struct{ four, six netip.Addr }

// Flags of an F-SEID (clause 8.2.37) and of other IEs with one address of each family, of which IPv4's is first.
const (
	hasIPv6 = 1 << 0
	hasIPv4 = 1 << 1
)

// addressOctets is how long the addresses are that flags speak of.
func addressOctets(flags byte) (n int) {
	if flags&hasIPv4 != 0 {
		n += 4
	}
	if flags&hasIPv6 != 0 {
		n += 16
	}
	return n
}

// familiesOf reads the addresses that flags speak of; b has room for them.
func familiesOf(flags byte, b []byte) (f Families) {
	if flags&hasIPv4 != 0 {
		f.four, b = netip.AddrFrom4([4]byte(b)), b[4:]
	}
	if flags&hasIPv6 != 0 {
		f.six = netip.AddrFrom16([16]byte(b))
	}
	return f
}

// decodeFamilies reads an IE of flags and addresses.
func decodeFamilies(i *ie.IE) (Families, error) {
	if len(i.Payload) < 1 || len(i.Payload) < 1+addressOctets(i.Payload[0]) {
		return Families{}, badLength(i.Type)
	}
	return familiesOf(i.Payload[0], i.Payload[1:]), nil
}

// Of is the address that an N4 of a family sends to; invalid where there is none: its socket does not reach one of the
// other family.
func (f Families) Of(six bool) netip.Addr {
	a := f.four
	if six {
		a = f.six
	}
	if a.IsUnspecified() || a.Is4In6() {
		return netip.Addr{}
	}
	return a
}
