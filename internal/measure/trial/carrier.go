package trial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// carriers are the states of the links of N3 and N6 at one moment, by the ports that upflab can look
// at, as people know them: "N3 (n3)".
type carriers map[string][]netdev.Carrier

// carriers reads them. What cannot be read, since the port is gone or the kernel does not say, is
// left out: Gone names ports that are no more.
func (mt *meters) carriers() carriers {
	l, c := mt.site.Links(), carriers{}
	for _, end := range []struct {
		link string
		port netdev.Port
	}{{"N3", l.GNB}, {"N3", l.UPFN3}, {"N6", l.DNN6}, {"N6", l.UPFN6}} {
		if !end.port.Readable() {
			continue
		}
		name := fmt.Sprintf("%s (%s)", end.link, end.port.Name)
		if now, err := end.port.Carrier(); err == nil {
			c[name] = append(c[name], now)
		}
	}
	return c
}

// down names the links that are down, sorted.
func (c carriers) down() (names []string) {
	for name, ends := range c {
		if slices.ContainsFunc(ends, func(e netdev.Carrier) bool { return !e.Up }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// downBetween names the links that were down at some time between two readings, also where they are
// up at both, sorted.
func downBetween(before, after carriers) []string {
	names := append(before.down(), after.down()...)
	for name, ends := range after {
		for i, end := range ends {
			if i < len(before[name]) && end.Changes != before[name][i].Changes {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// linksDown says of links that they are down, for an error; "": none is.
func linksDown(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "; the link of " + names[0] + " is down, at this end or the other"
	}
	return "; the links of " + strings.Join(names, " and ") + " are down, at this end or the other"
}

// atLinksDown puts what was counted at rings where it was lost: a link that is down drops what is sent
// into it, and the kernel counts that as it counts what a ring has no room for.
func atLinksDown(drops []drop) {
	for i := range drops {
		switch drops[i].place {
		case record.PlaceUPFRing, record.PlaceSinkRing, record.PlaceBridgeBefore, record.PlaceBridgeBehind:
			drops[i].place, drops[i].side = record.PlaceLinkDown, record.SideLink
		}
	}
}
