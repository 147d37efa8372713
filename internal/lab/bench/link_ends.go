package bench

import (
	"maps"
	"slices"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// linkEnds are the ends of N3 and N6 that can be looked at, as they are set up.
func linkEnds(l *site.Links) (list []record.LinkEnd) {
	for _, at := range []struct {
		link, end string
		port      *netdev.Port
	}{{"n3", record.EndTester, &l.GNB}, {"n3", record.EndUPF, &l.UPFN3}, {"n6", record.EndUPF, &l.UPFN6}, {"n6", record.EndTester, &l.DNN6}} {
		if !at.port.Readable() {
			continue
		}
		driver, err := at.port.Driver()
		if err != nil {
			continue // a device without ethtool: what it is is not known
		}
		e := record.LinkEnd{Link: at.link, End: at.end, Driver: driver}
		features, _ := at.port.Features() // none of a device without ethtool
		for _, name := range slices.Sorted(maps.Keys(features)) {
			if features[name] {
				e.Offloads = append(e.Offloads, name)
			}
		}
		list = append(list, e)
	}
	return list
}
