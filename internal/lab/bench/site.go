package bench

import (
	"net/netip"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/attached"
	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/hosts"
	"github.com/upflab/upflab/internal/traffic/trex"
)

// Tester is who sends and receives where this machine does not: other hosts, or TRex. They have
// the tester's ends of N3 and N6.
type Tester struct {
	Hosts *hosts.Session
	TRex  *trex.Server
}

// OpenSite makes or finds the place where a target is measured.
func OpenSite(claim *host.Claim, target dut.Target, s *scenario.Scenario, t Tester) (site.Site, error) {
	spec := SiteSpec(s, claim.Run)
	if target.Info().External {
		overIPv6Alone(&spec, s)
	}
	elsewhere(&spec, s, t.Hosts)
	atTRex(&spec, t.TRex)
	if target.Info().External && t.Hosts != nil {
		return betweenHosts(claim, spec, t.Hosts)
	}
	if target.Info().External && t.TRex != nil {
		return betweenPorts(claim, spec, t.TRex)
	}
	if target.Info().External {
		a, err := attached.Open(claim, spec, s.External.N3Interface, s.External.N6Interface)
		if err != nil {
			return nil, err
		}
		return a, nil
	}
	built, err := netns.Build(claim, spec)
	if err != nil {
		return nil, err
	}
	return built, nil
}

// SiteSpec is the testbed that a scenario asks for.
func SiteSpec(s *scenario.Scenario, run string) site.Spec {
	spec := site.Spec{
		Run: run, MTU: s.MTU, UEPools: poolsOf(s), Queues: s.Queues, Spread: spreadOf(s),
		N3: site.LinkSpec{Tester: s.N3.GNB, More: moreGNBs(s), UPF: s.N3.UPF, Prefix: s.N3.Prefix,
			Kind: site.Kind(s.LinkOf(s.N3.Link)), Device: s.N3.Device, TesterDevice: s.N3.TesterDevice},
		N4: site.LinkSpec{Tester: s.N4.SMF, UPF: s.N4.UPF, Prefix: s.N4.Prefix},
		N6: n6Of(s),
	}
	if s.Transport.IPv6() {
		spec.N3.Tester6, spec.N3.UPF6, spec.N3.More6 = s.N3.GNB6, s.N3.UPF6, spec.N3.More
		spec.N3.More = nil
		spec.N4.Tester6, spec.N4.UPF6 = s.N4.SMF6, s.N4.UPF6
	}
	return spec
}

// overIPv6Alone gives an N3 that somebody else has made the addresses of its transport: it need not have
// others.
func overIPv6Alone(spec *site.Spec, s *scenario.Scenario) {
	if !s.Transport.IPv6() {
		return
	}
	n3 := &spec.N3
	n3.Tester, n3.UPF, n3.More, n3.Prefix = n3.Tester6, n3.UPF6, n3.More6, 64
	n3.Tester6, n3.UPF6, n3.More6 = netip.Addr{}, netip.Addr{}, nil
}

func n6Of(s *scenario.Scenario) site.LinkSpec {
	spec := site.LinkSpec{Tester: s.N6.DN, UPF: s.N6.UPF, Prefix: s.N6.Prefix,
		Kind: site.Kind(s.LinkOf(s.N6.Link)), Device: s.N6.Device, TesterDevice: s.N6.TesterDevice}
	if s.UE.Family.IPv6() {
		spec.Tester6, spec.UPF6 = s.N6.DN6, s.N6.UPF6
	}
	return spec
}

// poolsOf are the subnets of the UEs: that of IPv4 is there in any case, since drivers configure it.
func poolsOf(s *scenario.Scenario) []netip.Prefix {
	list := []netip.Prefix{s.UE.Pool}
	if s.UE.Family.IPv6() {
		list = append(list, s.UE.Pool6)
	}
	return list
}

func spreadOf(s *scenario.Scenario) site.SpreadKind {
	if s.Spread == scenario.SpreadAuto {
		return site.SpreadAuto
	}
	return site.SpreadKind(s.Spread)
}

// moreGNBs are the addresses of this host's gNBs but for the first.
func moreGNBs(s *scenario.Scenario) []netip.Addr {
	if s.Hosts != nil {
		return nil
	}
	return s.GNBs()[1:]
}

// atTRex gives a site the ends of its links that are TRex's ports.
func atTRex(spec *site.Spec, generator *trex.Server) {
	if generator == nil {
		return
	}
	n3, n6 := generator.MACs()
	spec.N3.Elsewhere = []site.End{{Addr: spec.N3.Tester, MAC: n3}}
	spec.N6.Elsewhere = []site.End{{Addr: spec.N6.Tester, MAC: n6}}
}

// betweenPorts is the site of a UPF that runs elsewhere, between TRex's ports.
func betweenPorts(claim *host.Claim, spec site.Spec, generator *trex.Server) (site.Site, error) {
	n3, err := generator.Neighbour(true, spec.N3.Tester, spec.N3.UPF)
	if err != nil {
		return nil, err
	}
	n6, err := generator.Neighbour(false, spec.N6.Tester, spec.N6.UPF)
	if err != nil {
		return nil, err
	}
	a, err := attached.Between(claim, spec, n3, n6)
	if err != nil {
		return nil, err
	}
	return a, nil
}
