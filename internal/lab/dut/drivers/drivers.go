// Package drivers lists every DUT that upflab knows.
package drivers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/builtin"
	"github.com/upflab/upflab/internal/lab/dut/calibrator"
	"github.com/upflab/upflab/internal/lab/dut/container"
	"github.com/upflab/upflab/internal/lab/dut/decap"
	"github.com/upflab/upflab/internal/lab/dut/eupf"
	"github.com/upflab/upflab/internal/lab/dut/external"
	"github.com/upflab/upflab/internal/lab/dut/free5gc"
	"github.com/upflab/upflab/internal/lab/dut/n6"
	"github.com/upflab/upflab/internal/lab/dut/nextgcore"
	"github.com/upflab/upflab/internal/lab/dut/oai"
	"github.com/upflab/upflab/internal/lab/dut/open5gs"
	"github.com/upflab/upflab/internal/lab/dut/p4"
	"github.com/upflab/upflab/internal/lab/dut/sdcore"
	"github.com/upflab/upflab/internal/lab/dut/smartnic"
	"github.com/upflab/upflab/internal/lab/dut/spgwu"
	"github.com/upflab/upflab/internal/lab/dut/upgvpp"
	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/spelling"
)

// All lists the drivers; version is upflab's own.
func All(version string) []dut.Driver {
	return []dut.Driver{
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
		nextgcore.Driver{},
		p4.Driver{},
		upgvpp.Driver{},
		external.Driver{},
		calibrator.Driver{Version: version},
	}
}

// ways lists the ways to run their UPFs that a user can name.
func ways() []dut.Way { return []dut.Way{container.Way{}, smartnic.Way{}} }

// List has the drivers, then the ways.
func List(version string) (list []dut.Listed) {
	for _, d := range All(version) {
		list = append(list, d)
	}
	for _, w := range ways() {
		list = append(list, w)
	}
	return list
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
		t, missing, err := find(name, version)
		if err != nil {
			return nil, nil, err
		}
		for _, have := range targets {
			if have.Label() == t.Label() {
				return nil, nil, wrong("--dut %s is given twice; for repeats use --set repeats=2", t.Label())
			}
		}
		if missing != nil {
			absent = append(absent, dut.Missing(t.Info(), missing))
		}
		if err := placed(t, s); err != nil {
			return nil, nil, err
		}
		if s.RAN == scenario.RANExternal && name == "decap" {
			t.Mode = record.ModeRAN
		}
		targets = append(targets, t)
	}
	return targets, absent, nil
}

// placed refuses a UPF that runs elsewhere when the scenario does not say where, or what it insists on.
func placed(t dut.Target, s *scenario.Scenario) error {
	if !t.Info().External || s.RAN == scenario.RANExternal {
		return nil
	}
	if s.External == nil {
		return wrong("--dut %s: the scenario says where your UPF is, by the addresses n3, n4 and n6, and in its section external "+
			"by which of your interfaces: docs/tutorial.md has an example", t.Label())
	}
	if _, err := smf.Lookup(s.External.Dialect); err != nil {
		return wrong("external.dialect: %v", err)
	}
	return nil
}

// References are the targets that are measured with every UPF of a scenario.
func References(s *scenario.Scenario, version string) (targets []dut.Target, err error) {
	for _, name := range references(s) {
		t, missing, err := find(name, version)
		if err = cmp.Or(err, missing); err != nil {
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
	case s.External != nil || s.OfCases():
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
func Find(name, version string) (dut.Target, error) {
	base, mode, _ := strings.Cut(name, ":")
	all := All(version)
	var known []string
	for _, d := range all {
		info := d.Info()
		known = append(known, info.Name)
		if info.Name == base {
			t, err := inMode(d, mode)
			return named(name, t, err)
		}
	}
	for _, w := range ways() {
		info := w.Info()
		known = append(known, info.Name)
		if info.Name == base {
			t, err := dut.In(w, all, mode)
			return named(name, t, err)
		}
	}
	return dut.Target{}, wrong("--dut %s: no such DUT%s; there are: %s", name, spelling.DidYouMean(base, known), strings.Join(known, ", "))
}

// inMode is a driver's target in the mode that a user names, or the one that is right here.
func inMode(d dut.Driver, name string) (dut.Target, error) {
	info := d.Info()
	if name != "" || info.Choose == nil {
		mode, err := info.ModeOf(name)
		return dut.Target{Driver: d, Mode: mode}, err
	}
	mode, why := info.Choose()
	t := dut.Target{Driver: d, Mode: mode}
	if why != nil {
		t.Why = fmt.Sprintf("%s was measured, since %s:%s does not work on this machine: %v.", t.Label(), info.Name, info.Modes[0], why)
	}
	return t, nil
}

// find is Find with the version that is installed; missing says why none is.
func find(name, version string) (t dut.Target, missing, err error) {
	if t, err = Find(name, version); err == nil {
		t.Version, missing = t.Installed()
	}
	return t, missing, err
}

// named adds what the user wrote to an error.
func named(name string, t dut.Target, err error) (dut.Target, error) {
	if err != nil {
		return dut.Target{}, wrong("--dut %s: %v", name, err)
	}
	return t, nil
}

// NameError is a DUT that the user named wrongly.
type NameError struct{ text string }

// Error implements error: it gives the text for the user.
func (e NameError) Error() string { return e.text }

func wrong(format string, args ...any) error { return NameError{fmt.Sprintf(format, args...)} }
