package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// maxGenome is how many letters a genome has at most.
const maxGenome = 1024

// imix is the mixture 7:4:1 of 64, 570 and 1518 octets, the three sizes spread
// over the twelve places.
func imix() sizeSpec {
	return sizeSpec{name: string(SizeIMIX), at: atN6, mixture: true,
		octets: []int{64, 570, 64, 64, 570, 64, 1518, 64, 570, 64, 570, 64}}
}

// genomeSizes are the letters of RFC 6985 clause 4, octets of a frame with FCS.
// z, the MTU, is the largest that fits.
func genomeSizes() map[rune]int {
	return map[rune]int{
		'a': 64, 'b': 128, 'c': 256, 'd': 512, 'e': 1024, 'f': 1280, 'g': 1518, 'h': 2112, 'i': 9000, 'j': 16000, 'z': 0,
	}
}

// genome reads the letters of an IMIX genome.
func genome(name, letters string) (sizeSpec, error) {
	spec := sizeSpec{name: name, at: atN6, mixture: true}
	if letters == "" || len(letters) > maxGenome {
		return spec, fmt.Errorf("a genome has 1 to %d letters, not %d", maxGenome, len(letters))
	}
	sizes := genomeSizes()
	for _, letter := range letters {
		octets, known := sizes[letter]
		if !known {
			return spec, fmt.Errorf("%q is no letter of a genome; RFC 6985 has a to j and z (a is 64, b 128, c "+
				"256, d 512, e 1024, f 1280, g 1518, h 2112, i 9000, j 16000 octets, z the MTU)", letter)
		}
		spec.octets = append(spec.octets, octets)
	}
	return spec, nil
}

// mixture is the mixture of a spec. Sizes below the least are lengthened to it,
// and the note says so.
func (s sizing) mixture(spec sizeSpec) ([]PacketSize, string, error) {
	least := MinPayload + s.around(atN6, record.Uplink)
	var lengthened []int
	var payloads []int
	for _, octets := range spec.octets {
		if octets == 0 {
			octets = s.mtu - tunnel + frameN6
		}
		if octets < least {
			lengthened = append(lengthened, octets)
			octets = least
		}
		payload := octets - s.around(atN6, record.Uplink)
		if err := s.check(atN6, fmt.Sprintf("%s: a frame of %d octets", spec.name, octets), payload, record.Uplink); err != nil {
			return nil, "", err
		}
		payloads = append(payloads, payload)
	}
	p := PacketSize{Name: spec.name, Uplink: payloads, Downlink: payloads}
	return []PacketSize{p}, lengthenedNote(spec.name, lengthened, least), nil
}

func lengthenedNote(name string, lengthened []int, least int) string {
	if len(lengthened) == 0 {
		return ""
	}
	slices.Sort(lengthened)
	var words []string
	for _, n := range slices.Compact(lengthened) {
		words = append(words, strconv.Itoa(n))
	}
	return fmt.Sprintf("sizes: in %s, frames of %s octets are sent with %d: the smallest on N6 with the %d octets "+
		"by which a packet is recognized and FCS",
		name, strings.Join(words, ", "), least, MinPayload)
}
