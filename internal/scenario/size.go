package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// Size is how large the packets of a trial are, as a scenario writes it:
//
//	1400          octets of UDP payload of the inner packet; also payload:1400
//	inner:1428    octets of the inner IP packet
//	frame:1518    octets of the frame as it is sent in its direction, with FCS
//	rfc2544       each size of RFC 2544 clause 9.1 that GTP-U allows, as frame:
//	imix          a mixture of 64, 570 and 1518 octets 7:4:1, frames on N6
//	genome:aabg   a mixture by the letters of RFC 6985 clause 4, frames on N6
type Size string

// The sizes that are one word.
const (
	SizeRFC2544 Size = "rfc2544"
	SizeIMIX    Size = "imix"
)

// PacketSize is a size or a mixture that trials are made with.
type PacketSize struct {
	Name string // as a scenario writes it
	// Uplink and Downlink are the UDP payloads in the order of sending, octets, as
	// many in both. One entry: all packets are alike.
	Uplink, Downlink []int
}

// Payloads are the UDP payloads of a direction, uplink or downlink.
func (p PacketSize) Payloads(d record.Direction) []int {
	if d == record.Downlink {
		return p.Downlink
	}
	return p.Uplink
}

// Mixed reports whether not all packets of a direction are alike.
func (p PacketSize) Mixed() bool {
	return slices.Min(p.Uplink) != slices.Max(p.Uplink)
}

// PacketSizes are the sizes of the scenario's trials, in this order: those of
// Sizes, or else Payload alone. Where families are compared, each has its own.
func (s *Scenario) PacketSizes() (list []PacketSize) {
	for _, one := range s.Stacks() {
		sizes, _, _ := one.sizing().all(s.Sizes) // checked when the scenario was read
		if len(sizes) == 0 {
			sizes = []PacketSize{{strconv.Itoa(s.Payload), []int{s.Payload}, []int{s.Payload}}}
		}
		for _, size := range sizes {
			if len(one.Families) == 1 {
				size.Name += " " + string(one.Families[0])
			}
			list = append(list, size)
		}
	}
	return list
}

// SizeNotes say where the sizes that are sent differ from those that a standard
// lists.
func (s *Scenario) SizeNotes() []string {
	_, notes, _ := s.sizing().all(s.Sizes)
	return notes
}

// Overhead is what N3 carries more than the UDP payload of an inner packet,
// bytes: inner IPv4 20 or IPv6 40 and UDP 8, and the tunnel.
func (s *Scenario) Overhead() int { h := s.sizing().headers; return h.innerBytes() + h.tunnelBytes() }

// sizing turns sizes into payloads that can be sent.
type sizing struct {
	headers
	directions []record.Direction
	mtu        int // of N3
}

func (s *Scenario) sizing() sizing {
	return sizing{headers{s.UE.Family, s.Transport}, s.Directions, s.MTU}
}

// all are the sizes of a list, each once, with notes where they are not those of a standard.
func (s sizing) all(list []Size) (sizes []PacketSize, notes []string, err error) {
	for _, text := range list {
		found, note, err := s.resolve(text)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range found {
			if !slices.ContainsFunc(sizes, func(have PacketSize) bool { return have.Name == p.Name }) {
				sizes = append(sizes, p)
			}
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return sizes, notes, nil
}

// resolve gives the sizes of one entry: one, or those of a standard.
func (s sizing) resolve(text Size) ([]PacketSize, string, error) {
	spec, err := parsePacketSize(string(text))
	if err != nil {
		return nil, "", err
	}
	switch {
	case text == SizeRFC2544:
		return s.rfc2544()
	case spec.mixture:
		return s.mixture(spec)
	}
	p, err := s.fixed(spec)
	return []PacketSize{p}, "", err
}

// fixed is a size with all packets alike.
func (s sizing) fixed(spec sizeSpec) (PacketSize, error) {
	p := PacketSize{Name: spec.name}
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		payload := spec.octets[0] - s.around(spec.at, d)
		if err := s.check(spec.at, spec.name, payload, d); err != nil && s.sends(d) {
			return p, err
		}
		payload = min(max(payload, MinPayload), MaxPayload) // of a direction that is not sent
		if d == record.Uplink {
			p.Uplink = []int{payload}
		} else {
			p.Downlink = []int{payload}
		}
	}
	return p, nil
}

// sends reports whether a trial has packets of a direction.
func (s sizing) sends(d record.Direction) bool {
	return slices.ContainsFunc(s.directions, func(x record.Direction) bool { return slices.Contains(x.Each(), d) })
}

// largest is the largest UDP payload of a size that is sent.
func (s sizing) largest(p PacketSize) (payload int) {
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		if s.sends(d) {
			payload = max(payload, slices.Max(p.Payloads(d)))
		}
	}
	return payload
}

// LargestPayload is the largest UDP payload of all sizes that are sent, octets.
func (s *Scenario) LargestPayload() (payload int) {
	for _, p := range s.PacketSizes() {
		payload = max(payload, s.sizing().largest(p))
	}
	return payload
}

// rfc2544 are those of RFC 2544 clause 9.1 for Ethernet that every direction
// can send.
func (s sizing) rfc2544() (sizes []PacketSize, note string, err error) {
	var left []string
	for _, octets := range []int{64, 128, 256, 512, 1024, 1280, 1518} {
		name := fmt.Sprintf("frame:%d", octets)
		p, err := s.fixed(sizeSpec{name: name, at: atFrame, octets: []int{octets}})
		if err != nil {
			left = append(left, strconv.Itoa(octets))
			continue
		}
		sizes = append(sizes, p)
	}
	if len(left) > 0 {
		note = fmt.Sprintf("sizes: of RFC 2544's, %s octets cannot be sent: %s", strings.Join(left, ", "), s.smallest())
	}
	return sizes, note, nil
}

// smallest says what the least frames are.
func (s sizing) smallest() string {
	var words []string
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		if s.sends(d) {
			words = append(words, fmt.Sprintf("%s %d", d, MinPayload+s.around(atFrame, d)))
		}
	}
	return fmt.Sprintf("the smallest frame with GTP-U and the %d octets by which a packet is recognized has "+
		"%s with FCS", MinPayload, strings.Join(words, ", "))
}

// The UDP payload of a packet, octets: its first ones are what it is recognized
// by.
const (
	MinPayload = 32
	MaxPayload = 8900
)

// Octets around the UDP payload.
const (
	frameN6 = 14 + 4 // Ethernet and FCS
	// Outer IPv4 20 and UDP 8, GTP-U 8 and its optional fields 4 (TS 29.281 clause 5.1), PDU session
	// container 4 (TS 38.415 clause 5.5.2).
	tunnel  = 20 + 8 + 8 + 4 + 4
	tunnel6 = tunnel + 20 // over IPv6
)

// headers are those around the UDP payload of a packet.
type headers struct {
	inner Family    // of the UEs
	outer Transport // of N3
}

// tunnelBytes are the octets of a tunnel's headers on N3.
func (h headers) tunnelBytes() int {
	if h.outer.IPv6() {
		return tunnel6
	}
	return tunnel
}

// innerBytes are the octets of inner IP and UDP: of IPv6 where UEs have it.
func (h headers) innerBytes() int {
	if h.inner.IPv6() {
		return 40 + 8
	}
	return 20 + 8
}

// innerIP is the IP of the packets that innerBytes means.
func (h headers) innerIP() string {
	if h.inner.IPv6() {
		return "IPv6"
	}
	return "IPv4"
}

// basis is what a size counts.
type basis int

const (
	atPayload basis = iota // the UDP payload
	atInner                // the inner IP packet
	atFrame                // the frame as sent, with FCS
	atN6                   // the frame on N6, with FCS, whatever the direction
)

// around is what a size counts besides the UDP payload, octets.
func (h headers) around(r basis, d record.Direction) int {
	switch {
	case r == atPayload:
		return 0
	case r == atInner:
		return h.innerBytes()
	case r == atFrame && d == record.Uplink:
		return h.innerBytes() + h.tunnelBytes() + frameN6
	}
	return h.innerBytes() + frameN6
}

// check refuses a payload that cannot be sent.
func (h headers) check(r basis, name string, payload int, d record.Direction) error {
	around := h.around(r, d)
	if payload < MinPayload {
		return fmt.Errorf("%s is too small: %s the least is %d (%s)", name, d, MinPayload+around, h.parts(r, d))
	}
	if payload > MaxPayload {
		return fmt.Errorf("%s is too large: %s the most is %d (a UDP payload of %d)", name, d, MaxPayload+around, MaxPayload)
	}
	return nil
}

// parts says what a packet of the least size is made of.
func (h headers) parts(r basis, d record.Direction) string {
	words := fmt.Sprintf("%d octets by which a packet is recognized", MinPayload)
	if r != atPayload {
		words = fmt.Sprintf("inner %s and UDP %d, ", h.innerIP(), h.innerBytes()) + words
	}
	if r == atFrame && d == record.Uplink {
		words = fmt.Sprintf("outer %s and UDP %d, GTP-U %d, ", h.outer.Word(), h.tunnelBytes()-(tunnel-28), tunnel-28) + words
	}
	if r == atFrame || r == atN6 {
		words = "Ethernet 14, " + words + ", FCS 4"
	}
	return words
}

// sizeSpec is an entry of sizes, read but not held against what can be sent.
type sizeSpec struct {
	name    string
	at      basis
	octets  []int // in the order of sending; of z 0
	mixture bool
}

// parsePacketSize reads an entry of sizes.
func parsePacketSize(text string) (sizeSpec, error) {
	kind, value, parted := strings.Cut(text, ":")
	spec := sizeSpec{name: text}
	switch {
	case text == string(SizeRFC2544):
		return spec, nil
	case text == string(SizeIMIX):
		return imix(), nil
	case parted && kind == "genome":
		return genome(text, value)
	case parted && kind == "inner":
		spec.at = atInner
	case parted && kind == "frame":
		spec.at = atFrame
	case parted && kind == "payload": // as thresholds call it, where a bare number is a load
		spec.name = value
	case !parted:
		value = strings.TrimSuffix(text, "B")
	default:
		return spec, fmt.Errorf("%q is not a size; %s", text, sizeForms)
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || strings.HasPrefix(value, "+") {
		return spec, fmt.Errorf("%q is not a size; %s", text, sizeForms)
	}
	spec.octets = []int{n}
	return spec, nil
}

const sizeForms = "write 1400 or payload:1400 (UDP payload), inner:1428, frame:1518, rfc2544, imix or genome:aabg"
