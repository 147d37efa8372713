package plan

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/external"
	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/scenario"
)

// TestCheckDevices: a plan that names an interface which is not there is refused by the key's name.
func TestCheckDevices(t *testing.T) {
	far, ours := dut.Target{Driver: external.Driver{}}, dut.Target{Driver: wire.Driver{}}
	for _, c := range []struct {
		story  string
		target dut.Target
		change func(*scenario.Scenario)
		says   string
	}{
		{"both are there", far, func(s *scenario.Scenario) { s.External = &scenario.External{N3Interface: "lo", N6Interface: "lo"} }, ""},
		{"N3 is not", far, func(s *scenario.Scenario) { s.External = &scenario.External{N3Interface: "lo0", N6Interface: "lo"} },
			`external.n3_interface: this machine has no network interface "lo0" (did you mean lo?)`},
		{"N6 is not", far, func(s *scenario.Scenario) { s.External = &scenario.External{N3Interface: "lo", N6Interface: "nosuch"} },
			"external.n6_interface: "},
		{"nobody uses them", ours, func(s *scenario.Scenario) { s.External = &scenario.External{N3Interface: "nosuch"} }, ""},
		{"the tester is elsewhere", far, func(s *scenario.Scenario) {
			s.External, s.Hosts = &scenario.External{N3Interface: "nosuch"}, &scenario.Hosts{}
		}, ""},
		{"a NIC's port", ours, func(s *scenario.Scenario) { s.N3.Link, s.N3.Device = scenario.LinkPhysical, "nosuch" }, "n3.device: "},
		{"a port of the tester", ours, func(s *scenario.Scenario) { s.N6.Link, s.N6.TesterDevice = scenario.LinkPhysical, "nosuch" },
			"n6.tester_device: "},
		{"the link is not physical", ours, func(s *scenario.Scenario) { s.N3.Link, s.N3.Device = scenario.LinkVeth, "nosuch" }, ""},
	} {
		s := &scenario.Scenario{}
		c.change(s)
		err := (&Plan{Scenario: s, Targets: []dut.Target{c.target}}).CheckDevices()
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.story, err, c.says)
		}
	}
}
