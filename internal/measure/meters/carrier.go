package meters

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// linkEnd is one end of a link of N3 or N6, and the name of its port.
type linkEnd struct {
	link   string // "N3", "N6"
	tester bool   // the end that is not the UPF's
	port   string
}

// carriers are the states of the links of N3 and N6 at one moment, by the ends that upflab can look at.
type carriers map[linkEnd]netdev.Carrier

// carriers reads them. What cannot be read, since the port is gone or the kernel does not say, is
// left out: Gone names ports that are no more.
func (mt *Meters) carriers() carriers {
	l, c := mt.site.Links(), carriers{}
	for _, at := range []struct {
		link        string
		tester, upf netdev.Port
	}{{"N3", l.GNB, l.UPFN3}, {"N6", l.DNN6, l.UPFN6}} {
		c.read(linkEnd{at.link, true, at.tester.Name}, at.tester)
		c.read(linkEnd{at.link, false, at.upf.Name}, at.upf)
	}
	return c
}

func (c carriers) read(end linkEnd, port netdev.Port) {
	if !port.Readable() {
		return
	}
	if now, err := port.Carrier(); err == nil {
		c[end] = now
	}
}

// names are those of some links as people know them, by the names of the ports at their ends, sorted:
// "N3 (n3)", or "N3 (enp1s0, n3)" where the ends differ.
func (c carriers) names(links map[string]bool) (names []string) {
	for link := range links {
		var ports []string
		for end := range c {
			if end.link == link {
				ports = append(ports, end.port)
			}
		}
		slices.Sort(ports)
		names = append(names, fmt.Sprintf("%s (%s)", link, strings.Join(slices.Compact(ports), ", ")))
	}
	slices.Sort(names)
	return names
}

// Down names the links of N3 and N6 that are down, sorted.
func (mt *Meters) Down() []string { return mt.carriers().down() }

// down names the links that are down, sorted.
func (c carriers) down() []string { return downBetween(c, c) }

// downBetween names the links that were down at some time between two readings, also where they are
// up at both, sorted.
func downBetween(before, after carriers) []string {
	links, all := map[string]bool{}, carriers{}
	for _, c := range []carriers{before, after} {
		for end, now := range c {
			all[end] = now
			if was, read := before[end]; !now.Up || read && was.Changes != now.Changes {
				links[end.link] = true
			}
		}
	}
	return all.names(links)
}

// LinksDown says of links that they are down, for an error; "": none is.
func LinksDown(names []string) string {
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
func atLinksDown(drops []Drop) {
	for i := range drops {
		switch drops[i].Place {
		case record.PlaceUPFRing, record.PlaceSinkRing, record.PlaceBridgeBefore, record.PlaceBridgeBehind:
			drops[i].Place, drops[i].Side = record.PlaceLinkDown, record.SideLink
		}
	}
}
