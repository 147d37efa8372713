package xdp

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/upf/datapath"
)

// maxLengths is LENGTHS_MAX of bpf/rules.h.
const maxLengths = 8

// lengths counts UE prefixes by length: a packet's address is looked up once for each.
type lengths map[uint8]int

// lengthList is the lengths that there are, the longest first; 0 ends them.
type lengthList [maxLengths]uint8

// listOf is a list of at most maxLengths.
func listOf(lengths []uint8) (l lengthList) {
	copy(l[:], lengths)
	return l
}

// after are the lengths that there would be after the steps, the longest first; the
// error is one of too many.
func (l lengths) after(steps []step) (list lengthList, err error) {
	grow := lengths{}
	for _, s := range steps {
		if s.key.bits == 0 {
			continue
		}
		grow[s.key.bits] += s.change()
	}
	if len(l)+len(grow) == 0 {
		return list, nil
	}
	n := 0
	for bits := 128; bits > 0; bits-- {
		if l[uint8(bits)]+grow[uint8(bits)] <= 0 {
			continue
		}
		if n == maxLengths {
			return list, fmt.Errorf("xdp: UE prefixes and networks behind UEs of over %d lengths: %w: give prefixes of 64 bits", maxLengths, datapath.ErrFull)
		}
		list[n] = uint8(bits)
		n++
	}
	return list, nil
}

// change is how many entries a step adds.
func (s step) change() (n int) {
	if s.old != nil {
		n--
	}
	if s.new != nil {
		n++
	}
	return n
}

// union are the lengths of both lists.
func union(a, b lengthList) (list []uint8) {
	list = slices.Concat(a[:], b[:])
	slices.SortFunc(list, func(x, y uint8) int { return int(y) - int(x) })
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(x uint8) bool { return x == 0 })
}
