// Package smartnic runs UPFs on ports of a NIC, SR-IOV virtual functions as a rule, and knows
// what to look at before.
package smartnic

import (
	"context"
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// Way is the dut.Way of a UPF on a NIC's ports.
type Way struct{}

var _ dut.Way = Way{}

// Info describes it for `upflab dut list`.
func (Way) Info() dut.Info {
	return dut.Info{
		Name: "smartnic", Summary: "another DUT on ports or SR-IOV functions of a NIC, as smartnic:eupf, with link=physical",
		Docs:     "docs/duts/smartnic.md",
		Verified: "configuration only",
		Remarks:  []string{"upflab has not been run with a NIC yet."},
	}
}

// Installed finds nothing to install but the UPF, which Prepare looks for.
func (Way) Installed() (string, error) { return "", nil }

// Takes accepts each UPF that upflab starts.
func (Way) Takes(of dut.Info) bool { return !of.External }

// Purpose is what the user names a UPF for.
func (Way) Purpose() string { return "which UPF gets the NIC's ports" }

// Prepare refuses a scenario whose links are not devices of this machine.
func (Way) Prepare(_ context.Context, d dut.Driver, env *dut.Env) (remarks []string, err error) {
	for name, kind := range map[string]scenario.LinkKind{"n3": env.Scenario.N3.Link, "n6": env.Scenario.N6.Link} {
		if k := env.Scenario.LinkOf(kind); k != scenario.LinkPhysical {
			return nil, fmt.Errorf("smartnic needs devices of this machine, but the link of %s is %s: set link=physical and "+
				"n3.device, n3.tester_device, n6.device, n6.tester_device; `upflab dut doctor smartnic:%s` looks at them", name, k, d.Info().Name)
		}
	}
	_, err = d.Installed()
	return nil, err
}
