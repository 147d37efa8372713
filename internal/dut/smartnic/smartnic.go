// Package smartnic drives another driver's UPF on ports of a NIC, SR-IOV virtual
// functions as a rule, and knows what to look at before.
package smartnic

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// Driver is dut.Driver for a UPF on a NIC's ports; its mode is the other driver's
// name, and then that one's mode: "eupf", "open5gs:tap".
type Driver struct {
	Others []dut.Driver // those that there are
}

var (
	_ dut.FreeModes = Driver{}
	_ dut.Examiner  = Driver{}
	_ dut.Flawed    = Driver{}
)

// Info is dut.Driver's.
func (Driver) Info() dut.Info {
	return dut.Info{
		Name: "smartnic", Summary: "another DUT on ports or SR-IOV functions of a NIC, as smartnic:eupf, with link=physical",
		Docs:     "docs/duts/smartnic.md",
		Verified: "configuration only",
		Remarks:  []string{"upflab has not been run with a NIC yet."},
	}
}

// Installed is dut.Driver's: there is nothing to install but the inner DUT.
func (Driver) Installed() (string, error) { return "", nil }

// CheckMode is dut.FreeModes's.
func (d Driver) CheckMode(mode string) error {
	_, _, err := d.inner(mode)
	return err
}

// inner is the driver that a mode names, and its mode.
func (d Driver) inner(mode string) (dut.Driver, string, error) {
	name, mode, _ := strings.Cut(mode, ":")
	var names []string
	for _, other := range d.Others {
		info := other.Info()
		if info.External {
			continue
		}
		names = append(names, info.Name)
		if info.Name != name {
			continue
		}
		if mode == "" && len(info.Modes) > 0 {
			mode = info.Modes[0]
		}
		if mode != "" && !slices.Contains(info.Modes, mode) {
			return nil, "", fmt.Errorf("%s has no mode %q; it has: %s", name, mode, strings.Join(info.Modes, ", "))
		}
		return other, mode, nil
	}
	return nil, "", fmt.Errorf("say which UPF gets the NIC's ports, as in smartnic:eupf; there are: %s", strings.Join(names, ", "))
}

// Start is dut.Driver's.
func (d Driver) Start(ctx context.Context, env dut.Env) (dut.Instance, error) {
	other, mode, err := d.inner(env.Mode)
	if err != nil {
		return nil, err
	}
	for name, kind := range map[string]scenario.LinkKind{"n3": env.Scenario.N3.Link, "n6": env.Scenario.N6.Link} {
		if k := env.Scenario.LinkOf(kind); k != scenario.LinkPhysical {
			return nil, fmt.Errorf("smartnic needs devices of this machine, but the link of %s is %s: set link=physical and "+
				"n3.device, n3.tester_device, n6.device, n6.tester_device; `upflab dut doctor smartnic:%s` looks at them", name, k, env.Mode)
		}
	}
	if _, err := other.Installed(); err != nil {
		return nil, err
	}
	env.Mode = mode
	return other.Start(ctx, env)
}

// Defects is dut.Flawed's.
func (d Driver) Defects(mode string, s *scenario.Scenario) []string {
	other, mode, err := d.inner(mode)
	if f, is := other.(dut.Flawed); err == nil && is {
		return f.Defects(mode, s)
	}
	return nil
}
