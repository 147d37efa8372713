package meters

import (
	"fmt"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// hop is a port of the UPF and how many packets crossed it, whatever they were.
type hop struct {
	name    string
	packets uint64
}

// hops counts a direction's packets into the UPF and out of it.
func (mt *Meters) hops(d record.Direction) (in, out hop) {
	l := mt.site.Links()
	if !l.UPFN3.Readable() {
		return in, out
	}
	n3, n6 := hop{name: "N3"}, hop{name: "N6"}
	count := func(h *hop, p netdev.Port, received bool) {
		rx, tx, err := p.Packets()
		if h.packets = tx; received {
			h.packets = rx
		}
		if err != nil {
			h.packets = 0 // what cannot be read is not shown
		}
	}
	count(&n3, l.UPFN3, d == record.Uplink)
	count(&n6, l.UPFN6, d != record.Uplink)
	if d == record.Uplink {
		return n3, n6
	}
	return n6, n3
}

// Hops are the ports of the UPF that packets of a direction pass, at one moment.
type Hops struct{ in, out hop }

// Hops counts a direction's packets into the UPF and out of it.
func (mt *Meters) Hops(d record.Direction) Hops {
	in, out := mt.hops(d)
	return Hops{in, out}
}

// SeenLast says at which port of the UPF packets were seen last, between two readings of hops.
func (h Hops) SeenLast(now Hops) string { return seenLast(h.in, now.in, h.out, now.out) }

// seenLast says at which port of the UPF packets were seen last. Between two
// readings of hops there are so many.
func seenLast(inBefore, inAfter, outBefore, outAfter hop) string {
	in, out := inAfter.packets-inBefore.packets, outAfter.packets-outBefore.packets
	switch {
	case inAfter.name == "":
		return "" // a UPF elsewhere
	case in == 0:
		return fmt.Sprintf("; they never came to the UPF's %s", inAfter.name)
	case out == 0:
		return fmt.Sprintf("; they were last seen at the UPF's %s, which received %d; its %s sent none", inAfter.name, in, outAfter.name)
	}
	return fmt.Sprintf("; the UPF's %s received %d and its %s sent %d, so what it sends is wrong or goes elsewhere",
		inAfter.name, in, outAfter.name, out)
}
