package bench

import (
	"bytes"
	"context"
	"fmt"
	"net"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/attached"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/hosts"
)

// elsewhere gives a site the ends of its links that are on other hosts.
func elsewhere(spec *site.Spec, s *scenario.Scenario, h *hosts.Session) {
	if h == nil {
		return
	}
	for i, gnb := range s.GNBs() {
		spec.N3.Elsewhere = append(spec.N3.Elsewhere, site.End{Addr: gnb, MAC: h.Generators[i].Facts.MAC})
	}
	spec.N6.Elsewhere = []site.End{{Addr: s.N6.DN, MAC: h.Sink.Facts.MAC}}
}

// betweenHosts is the site of a UPF that runs elsewhere, with generators and sink on other hosts.
func betweenHosts(claim *host.Claim, spec site.Spec, h *hosts.Session) (site.Site, error) {
	var n3 net.HardwareAddr
	for _, g := range h.Generators {
		mac, err := g.Neighbour(context.Background(), spec.N3.UPF) // it has a limit of its own
		switch {
		case err != nil:
			return nil, err
		case n3 != nil && !bytes.Equal(n3, mac):
			return nil, fmt.Errorf("the UPF's N3 %s is %s for one generator and %s for %s: all have to be in one "+
				"Ethernet segment with it", spec.N3.UPF, n3, mac, g.Testbed)
		}
		n3 = mac
	}
	n6, err := h.Sink.Neighbour(context.Background(), spec.N6.UPF)
	if err != nil {
		return nil, err
	}
	a, err := attached.Between(claim, spec, n3, n6)
	if err != nil {
		return nil, err
	}
	return a, nil
}
