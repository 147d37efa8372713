package view

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// noSize is that of a trial of an old result: neither a size nor a payload.
const noSize = "0"

// sizesOf lists the sizes of packets, in the order in which they were measured. What
// has no size belongs to any.
func sizesOf(r *record.Result) []string {
	var sizes []string
	see := func(size string) {
		if size != noSize && !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	eachTrial(r, func(t *record.Trial) { see(t.SizeName()) })
	for i := range r.DUTs {
		for j := range r.DUTs[i].Searches {
			see(r.DUTs[i].Searches[j].SizeName())
		}
	}
	return sizes
}

// onlySize is a result with the trials and searches of one size.
func onlySize(r *record.Result, size string) *record.Result {
	differs := func(name string) bool { return name != size && name != noSize }
	one := *r
	one.DUTs = slices.Clone(r.DUTs)
	for i := range one.DUTs {
		d := &one.DUTs[i]
		d.Trials = slices.DeleteFunc(slices.Clone(d.Trials), func(t record.Trial) bool { return differs(t.SizeName()) })
		d.Searches = slices.DeleteFunc(slices.Clone(d.Searches), func(s record.Search) bool { return differs(s.SizeName()) })
	}
	return &one
}

// bySize sorts rows and searches by size and puts the size into their names.
func (d *UPF) bySize(sizes []string) {
	d.Sized = true
	slices.SortStableFunc(d.Rows, func(a, b *Row) int {
		return cmp.Compare(slices.Index(sizes, a.Size), slices.Index(sizes, b.Size))
	})
	for _, list := range [][]*Search{d.Rates, d.Others} {
		slices.SortStableFunc(list, func(a, b *Search) int {
			return cmp.Compare(slices.Index(sizes, a.SizeName()), slices.Index(sizes, b.SizeName()))
		})
	}
}

// Frames describes the packets of each direction.
func (v *Run) Frames() (lines []string) {
	for _, direction := range v.Directions {
		if t := v.AnyTrial(direction); t != nil {
			lines = append(lines, string(direction)+": "+lengths(t)+", "+sessionsOf(t))
		}
	}
	return lines
}

// sessionsOf says of how many sessions a trial's packets are.
func sessionsOf(t *record.Trial) string {
	words := units.Plural(t.Sessions, "session")
	if t.UDPFlows > 0 {
		words += fmt.Sprintf(" with %d UDP flows each", t.UDPFlows)
		if t.Family == familyBoth {
			words += " of both families"
		}
	}
	return words
}

// lengths are those of a trial's packets.
func lengths(t *record.Trial) string {
	words := fmt.Sprintf("%d B of UDP payload, inner %s %d B, frame %d B towards the UPF and %d B from it",
		t.PayloadBytes, packetOf(t), t.InnerBytes, t.FrameBytes, t.RxFrameBytes)
	if t.Direction == record.Both {
		words = fmt.Sprintf("in the mean %d B of UDP payload, inner %s %d B, frame %d B", t.PayloadBytes, packetOf(t), t.InnerBytes, t.FrameBytes)
	}
	if t.Transport != "" {
		words += ", G-PDUs over IPv6"
	}
	switch {
	case t.Mixed:
		return words + " (a mixture: means)"
	case t.Family == familyBoth:
		return words + " (means of IPv4 and IPv6)"
	}
	return words
}

const familyBoth = "both" // of record.PacketSize

// FamilyLines say what IP UEs, N3 and N4 have where that is not IPv4.
func FamilyLines(f record.Families) (lines []string) {
	switch f.Family {
	case "":
	case familyBoth:
		lines = append(lines, "UEs have IPv4 and IPv6: each has both addresses, and its packets are of either in turn")
	default:
		lines = append(lines, "UEs have IPv6")
	}
	if f.Transport != "" {
		lines = append(lines, "N3 and N4 are over IPv6")
	}
	return lines
}

// packetOf names the inner packets of a trial where they are not of IPv4.
func packetOf(t *record.Trial) string {
	switch t.Family {
	case "":
		return "packet"
	case familyBoth:
		return "packet (IPv4 and IPv6 in turn)"
	}
	return "IPv6 packet"
}
