package campaign

import (
	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/scenario"
)

// portsXDP is what keeps the tester's ports from sending by XDP.
type portsXDP struct {
	refuses string // a port to which no frame can be redirected; "": none
	copies  string // one without zero copy for AF_XDP; "": none
}

// testerPorts are the devices of this machine that the tester sends by.
func testerPorts(s *scenario.Scenario) (names []string) {
	if s.External != nil {
		names = append(names, s.External.N3Interface, s.External.N6Interface)
	}
	if s.LinkOf(s.N3.Link) == scenario.LinkPhysical && s.N3.TesterDevice != "" {
		names = append(names, s.N3.TesterDevice)
	}
	if s.LinkOf(s.N6.Link) == scenario.LinkPhysical && s.N6.TesterDevice != "" {
		names = append(names, s.N6.TesterDevice)
	}
	return names
}

// lookAtPorts looks at devices of this machine. One that is not there, or of which the
// kernel does not say what its driver can, keeps nothing from being tried.
func lookAtPorts(names []string) (p portsXDP) {
	here, err := netdev.Current()
	if err != nil {
		return p
	}
	defer here.Release()
	for _, name := range names {
		link, err := here.Netlink().LinkByName(name)
		if err != nil {
			continue
		}
		port := netdev.Port{NS: here, Name: name, Index: link.Attrs().Index, Physical: true}
		redirects, features, err := port.Redirects()
		if err != nil {
			continue
		}
		if !redirects && p.refuses == "" {
			p.refuses = name
		}
		if features.Acts&netdev.ActZeroCopy == 0 && p.copies == "" {
			p.copies = name
		}
	}
	return p
}
