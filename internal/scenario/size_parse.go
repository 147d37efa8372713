package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// The UDP payload of a packet, octets: its first ones are what it is recognized
// by.
const (
	MinPayload = 32
	MaxPayload = 8900
)

// Octets around the UDP payload.
const (
	innerBytes = 20 + 8 // inner IPv4 and UDP
	frameN6    = 14 + 4 // Ethernet and FCS
	tunnel     = Overhead - innerBytes
)

// basis is what a size counts.
type basis int

const (
	atPayload basis = iota // the UDP payload
	atInner                // the inner IP packet
	atFrame                // the frame as sent, with FCS
	atN6                   // the frame on N6, with FCS, whatever the direction
)

// around is what a size counts besides the UDP payload, octets.
func (r basis) around(d record.Direction) int {
	switch {
	case r == atPayload:
		return 0
	case r == atInner:
		return innerBytes
	case r == atFrame && d == record.Uplink:
		return innerBytes + tunnel + frameN6
	}
	return innerBytes + frameN6
}

// check refuses a payload that cannot be sent.
func (r basis) check(name string, payload int, d record.Direction) error {
	around := r.around(d)
	if payload < MinPayload {
		return fmt.Errorf("%s is too small: %s the least is %d (%s)", name, d, MinPayload+around, r.parts(d))
	}
	if payload > MaxPayload {
		return fmt.Errorf("%s is too large: %s the most is %d (a UDP payload of %d)", name, d, MaxPayload+around, MaxPayload)
	}
	return nil
}

// parts says what a packet of the least size is made of.
func (r basis) parts(d record.Direction) string {
	words := fmt.Sprintf("%d octets by which a packet is recognized", MinPayload)
	if r != atPayload {
		words = "inner IPv4 and UDP 28, " + words
	}
	if r == atFrame && d == record.Uplink {
		words = fmt.Sprintf("outer IPv4 and UDP 28, GTP-U %d, ", tunnel-28) + words
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

const sizeForms = "write 1400 (UDP payload), inner:1428, frame:1518, rfc2544, imix or genome:aabg"
