package xdp

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// flowValues are what a packet has of the fields that branches compare, in host order.
type flowValues [branchFields]uint32

// matches reports whether a row takes the packet.
func (v flowValues) matches(r *upfRow) bool {
	for f := range uint8(branchFields) {
		if from, to := span(r, f); v[f] < from || v[f] > to {
			return false
		}
	}
	return true
}

// walk finds a packet's row as the programs do, and counts the rows that it meets.
func (v flowValues) walk(nodes []upfRow) (qfi uint8, met int) {
	for at := uint32(1); at != 0; {
		r := &nodes[at-1]
		met++
		switch {
		case r.Verdict == verdictBranch && v[r.Protocol] < r.Spi:
			at = r.Next
		case r.Verdict == verdictBranch:
			at = r.Other
		case v.matches(r):
			return r.Qfi, met
		default:
			at = r.Next
		}
	}
	return 0, met
}

// first is the most important row that takes the packet; the rows have their places as QFIs.
func (v flowValues) first(rows []upfRow) uint8 {
	if i := slices.IndexFunc(rows, func(r upfRow) bool { return v.matches(&r) }); i >= 0 {
		return rows[i].Qfi
	}
	return 0
}

// randomRows overlap a lot.
func randomRows(r *rand.Rand, n int) []upfRow {
	rows := make([]upfRow, n)
	for i := range rows {
		low, bits := uint16(r.UintN(100)), 24+r.IntN(9)
		rows[i] = upfRow{Qfi: uint8(i + 1), RemoteHigh: 0xffff, LocalHigh: 0xffff}
		switch r.IntN(5) {
		case 0:
			rows[i].Flags, rows[i].Protocol = rowProtocol, uint8(r.UintN(4))
		case 1:
			rows[i].RemoteLow, rows[i].RemoteHigh = low, low+uint16(r.UintN(9))
		case 2:
			rows[i].LocalLow, rows[i].LocalHigh = low, low
		case 3:
			pool := poolOf(benchPrefix(r.IntN(100), bits))
			rows[i].Remote, rows[i].RemoteMask = pool.Address, pool.Mask
		}
	}
	return rows
}

// TestTreeFindsTheFirst: packets find the same row as by comparing them with all rows in order.
func TestTreeFindsTheFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		rows := randomRows(r, 1+r.IntN(200))
		nodes := layTree(slices.Clone(rows))
		for range 100 {
			v := flowValues{10<<24 + 2 + uint32(r.UintN(110)), uint32(r.UintN(9)), uint32(r.UintN(110)), uint32(r.UintN(110)), uint32(r.UintN(5))}
			if got, _ := v.walk(nodes); got != v.first(rows) {
				t.Fatalf("%d rows: packet %v found row %d, want %d", len(rows), v, got, v.first(rows))
			}
		}
	}
}

// TestTreeIsShort: of 256 rows that differ in a port, and one for the rest, a packet meets few.
func TestTreeIsShort(t *testing.T) {
	rows := make([]upfRow, 255)
	for i := range rows {
		rows[i] = upfRow{Qfi: uint8(i), RemoteLow: uint16(1000 + i), RemoteHigh: uint16(1000 + i), LocalHigh: 0xffff}
	}
	rows = append(rows, upfRow{Qfi: 255, RemoteHigh: 0xffff, LocalHigh: 0xffff})
	nodes := layTree(slices.Clone(rows))
	for port := range uint32(2000) {
		v := flowValues{branchRemotePort: port}
		qfi, met := v.walk(nodes)
		if qfi != v.first(rows) || met > 8+leafRows {
			t.Fatalf("port %d: row %d, want %d; %d rows on the way", port, qfi, v.first(rows), met)
		}
	}
	if len(nodes) > 3*len(rows) {
		t.Errorf("%d rows for %d", len(nodes), len(rows))
	}
}
