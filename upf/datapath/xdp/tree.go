package xdp

import (
	"math"
	"math/bits"
	"slices"
)

// leafRows are as many rows as a packet is compared with one by one.
const leafRows = 4

// The values of enum branch_field and VERDICT_BRANCH in bpf.
const (
	branchRemote = iota
	branchLocal
	branchRemotePort
	branchLocalPort
	branchProtocol
	branchFields

	verdictBranch = 252
)

// tree lays rows out so that a packet finds its own without being compared with all of them:
// a branch divides them by a bound of one field, and a row that lies on both sides is there
// twice. Rows name others by index from 1 on; the first is the root.
type tree struct {
	rows  []upfRow
	nodes []upfRow
	most  int // nodes
}

// layTree gives the rows, the most important first, with their links: a tree where that is
// shorter to walk, else a list.
func layTree(rows []upfRow) []upfRow {
	if len(rows) > leafRows && sameSource(rows) {
		t := tree{rows: rows, most: 3 * len(rows)}
		all := make([]int, len(rows))
		for i := range all {
			all[i] = i
		}
		if t.lay(all) {
			return t.nodes
		}
	}
	for i := range rows[:max(0, len(rows)-1)] {
		rows[i].Next = uint32(i) + 2
	}
	return rows
}

// sameSource reports whether all rows want one inner source: then it is the branches' to check,
// and why a packet matches nothing is known at the first.
func sameSource(rows []upfRow) bool {
	return !slices.ContainsFunc(rows, func(r upfRow) bool { return r.Ue != rows[0].Ue || r.UeMask != rows[0].UeMask })
}

// lay adds the rows, by index and in order; false when they would become too many.
func (t *tree) lay(list []int) bool {
	field, bound, divides := t.divide(list)
	if !divides {
		return t.leaf(list)
	}
	at := len(t.nodes)
	first := &t.rows[list[0]]
	t.nodes = append(t.nodes, upfRow{Key: first.Key, Ue: first.Ue, UeMask: first.UeMask, Verdict: verdictBranch, Protocol: field, Spi: bound})
	low, high := t.sides(list, field, bound)
	t.nodes[at].Next = uint32(len(t.nodes)) + 1
	if !t.lay(low) {
		return false
	}
	t.nodes[at].Other = uint32(len(t.nodes)) + 1
	return t.lay(high)
}

func (t *tree) leaf(list []int) bool {
	if len(t.nodes)+len(list) > t.most {
		return false
	}
	for i, n := range list {
		row := t.rows[n]
		if i < len(list)-1 {
			row.Next = uint32(len(t.nodes)) + 2
		}
		t.nodes = append(t.nodes, row)
	}
	return true
}

// sides are the rows that packets below the bound may match, and the others.
func (t *tree) sides(list []int, field uint8, bound uint32) (low, high []int) {
	for _, n := range list {
		from, to := span(&t.rows[n], field)
		if from < bound {
			low = append(low, n)
		}
		if to >= bound {
			high = append(high, n)
		}
	}
	return low, high
}

// divide finds the bound that leaves the fewest rows on the longer side, and at most three
// quarters of them.
func (t *tree) divide(list []int) (field uint8, bound uint32, ok bool) {
	if len(list) <= leafRows {
		return 0, 0, false
	}
	best := len(list)*3/4 + 1
	from, to := make([]uint32, len(list)), make([]uint32, len(list))
	for f := range uint8(branchFields) {
		for i, n := range list {
			from[i], to[i] = span(&t.rows[n], f)
		}
		slices.Sort(from)
		slices.Sort(to)
		consider := func(c uint32) {
			low, _ := slices.BinarySearch(from, c)
			below, _ := slices.BinarySearch(to, c)
			if longer := max(low, len(to)-below); longer < best {
				best, field, bound, ok = longer, f, c, true
			}
		}
		for i := range list {
			consider(from[i])
			if to[i] != math.MaxUint32 {
				consider(to[i] + 1)
			}
		}
	}
	return field, bound, ok
}

// span are the lowest and the highest value of a field that a row may match, in host order.
func span(r *upfRow, field uint8) (from, to uint32) {
	switch field {
	case branchRemote:
		return addresses(r.Remote, r.RemoteMask)
	case branchLocal:
		return addresses(r.Local, r.LocalMask)
	case branchRemotePort:
		return uint32(r.RemoteLow), uint32(r.RemoteHigh)
	case branchLocalPort:
		return uint32(r.LocalLow), uint32(r.LocalHigh)
	}
	if r.Flags&rowProtocol != 0 {
		return uint32(r.Protocol), uint32(r.Protocol)
	}
	return 0, math.MaxUint8
}

// addresses are the first and the last of a prefix, as packets have them.
func addresses(address, mask uint32) (from, to uint32) {
	from = bits.ReverseBytes32(address)
	return from, from | ^bits.ReverseBytes32(mask)
}
