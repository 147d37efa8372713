package trial

import (
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/telemetry"
)

// LineNS is how long a cache line takes from the generator's CPU to the UPF's and back, ns; 0:
// they are one CPU or on different machines, or it was not measured.
func (dp *Deployment) LineNS() float64 {
	if !dp.site.OwnsUPF() || dp.Scenario.FarTester() || dp.Placement.Kind == host.Shared || len(dp.Placement.DUT) == 0 {
		return 0
	}
	ns, err := telemetry.LineNS(dp.Placement.Generator, dp.Placement.DUT[0])
	if err != nil {
		return 0 // a UPF that polls may have its CPU for itself
	}
	return ns
}
