package trial

import (
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/site/attached"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/trex"
)

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

// openTRex opens the engine of a TRex server.
func (dp *Deployment) openTRex() (traffic.Engine, error) {
	e, err := dp.TRex.Engine(trex.EngineConfig{Flows: dp.flows, LatencyPPS: float64(dp.Scenario.TRex.LatencyPPS), Settle: dp.Scenario.Settle.Duration})
	if err != nil {
		return nil, err
	}
	return e, nil
}
