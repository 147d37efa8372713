// Package drivers lists every DUT that upflab knows.
package drivers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/dut/builtin"
	"github.com/upflab/upflab/internal/dut/calibrator"
	"github.com/upflab/upflab/internal/dut/container"
	"github.com/upflab/upflab/internal/dut/decap"
	"github.com/upflab/upflab/internal/dut/eupf"
	"github.com/upflab/upflab/internal/dut/external"
	"github.com/upflab/upflab/internal/dut/free5gc"
	"github.com/upflab/upflab/internal/dut/n6"
	"github.com/upflab/upflab/internal/dut/oai"
	"github.com/upflab/upflab/internal/dut/open5gs"
	"github.com/upflab/upflab/internal/dut/p4"
	"github.com/upflab/upflab/internal/dut/sdcore"
	"github.com/upflab/upflab/internal/dut/smartnic"
	"github.com/upflab/upflab/internal/dut/spgwu"
	"github.com/upflab/upflab/internal/dut/upgvpp"
	"github.com/upflab/upflab/internal/dut/wire"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// All lists the drivers; version is upflab's own.
func All(version string) []dut.Driver {
	all := []dut.Driver{
		builtin.Driver{Version: version},
		wire.Driver{Version: version},
		n6.Driver{Version: version},
		decap.Driver{Version: version},
		eupf.Driver{},
		open5gs.Driver{},
		free5gc.Driver{},
		sdcore.Driver{},
		oai.Driver{},
		spgwu.Driver{},
		p4.Driver{},
		upgvpp.Driver{},
		external.Driver{},
		calibrator.Driver{Version: version},
	}
	return append(all, container.Driver{Others: all}, smartnic.Driver{Others: all})
}

// Targets turns names as the user gives them, NAME[:MODE], into targets, with
// the references before them all. A DUT that is not installed is an error.
func Targets(names []string, s *scenario.Scenario, version string) ([]dut.Target, error) {
	targets, absent, err := Planned(names, s, version)
	if err == nil && len(absent) > 0 {
		return nil, absent[0]
	}
	return targets, err
}

// Planned are the same whether they are installed or not; absent says of those that are
// not how to get them.
func Planned(names []string, s *scenario.Scenario, version string) (targets []dut.Target, absent []error, err error) {
	if s.RAN == scenario.RANExternal && !slices.Equal(names, []string{"external"}) {
		return nil, nil, wrong("with ran: external the UPF is the one behind those UEs: give --dut external alone")
	}
	names = withReferences(names, s)
	for _, name := range names {
		t, err := target(name, version)
		if err != nil {
			return nil, nil, err
		}
		for _, have := range targets {
			if have.Label() == t.Label() {
				return nil, nil, wrong("--dut %s is given twice; for repeats use --set repeats=2", t.Label())
			}
		}
		if t.Version, err = t.Driver.Installed(); err != nil {
			absent = append(absent, dut.Missing(t.Driver.Info(), err))
		}
		if s.RAN == scenario.RANExternal && name == "decap" {
			t.Mode = record.ModeRAN
		}
		targets = append(targets, t)
	}
	return targets, absent, nil
}

// References are the targets that are measured with every UPF of a scenario.
func References(s *scenario.Scenario, version string) (targets []dut.Target, err error) {
	for _, name := range references(s) {
		t, err := target(name, version)
		if err != nil {
			return nil, err
		}
		if t.Version, err = t.Driver.Installed(); err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// references are measured with every UPF, and before them: the verdicts on the others
// rest on them.
func references(s *scenario.Scenario) []string {
	switch {
	case s.RAN == scenario.RANExternal:
		return externalReferences(s.ExternalUE)
	case s.External != nil:
		return nil
	case len(s.Flows) > 0: // plain forwarding, and the UE gateway without a UPF
		return []string{"n6", "decap"}
	}
	return []string{"wire"}
}

// externalReferences are those that UE interfaces are given for.
func externalReferences(x *scenario.ExternalUE) (list []string) {
	if x.DirectInterface != "" {
		list = append(list, "n6")
	}
	if x.BenchInterface != "" {
		list = append(list, "decap")
	}
	return list
}

// withReferences puts those that the user did not name before the others, and those that
// the user named likewise.
func withReferences(names []string, s *scenario.Scenario) (list []string) {
	for _, name := range references(s) {
		if !slices.Contains(names, name) {
			list = append(list, name)
		}
		for _, asked := range names {
			if asked == name {
				list = append(list, asked)
			}
		}
	}
	for _, name := range names {
		if !slices.Contains(references(s), name) {
			list = append(list, name)
		}
	}
	return list
}

// Find is the target of a name as the user gives it, NAME[:MODE]. It need not be
// installed: Version is empty.
func Find(name, version string) (dut.Target, error) { return target(name, version) }

func target(name, version string) (dut.Target, error) {
	base, mode, _ := strings.Cut(name, ":")
	var known []string
	for _, d := range All(version) {
		info := d.Info()
		known = append(known, info.Name)
		if info.Name != base {
			continue
		}
		if free, ok := d.(dut.FreeModes); ok {
			return freeTarget(free, name, mode)
		}
		if mode == "" && len(info.Modes) > 0 {
			mode = info.Modes[0]
		}
		if mode != "" && !slices.Contains(info.Modes, mode) {
			return dut.Target{}, wrong("--dut %s: %s has no mode %q; it has: %s", name, base, mode, modes(info))
		}
		return dut.Target{Driver: d, Mode: mode}, nil
	}
	return dut.Target{}, wrong("--dut %s: no such DUT; there are: %s", name, strings.Join(known, ", "))
}

func freeTarget(d dut.FreeModes, name, mode string) (dut.Target, error) {
	if err := d.CheckMode(mode); err != nil {
		return dut.Target{}, wrong("--dut %s: %v", name, err)
	}
	return dut.Target{Driver: d, Mode: mode}, nil
}

func modes(info dut.Info) string {
	if len(info.Modes) == 0 {
		return "none"
	}
	return strings.Join(info.Modes, ", ")
}

// NameError is a DUT that the user named wrongly.
type NameError struct{ text string }

// Error is error's.
func (e NameError) Error() string { return e.text }

func wrong(format string, args ...any) error { return NameError{fmt.Sprintf(format, args...)} }
