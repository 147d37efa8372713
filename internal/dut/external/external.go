// Package external is the DUT that runs elsewhere: only its addresses are known.
package external

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/smf"
)

// Driver is dut.Driver for a UPF that is already running.
type Driver struct{}

// Info is dut.Driver's.
func (Driver) Info() dut.Info {
	return dut.Info{
		Name: "external", Summary: "a UPF that runs elsewhere, by its addresses",
		Docs: "docs/scenario.md, section external", Verified: "run here", External: true,
		Remarks: []string{"Its CPU is measured only where external.pid, external.ssh or external.node_exporter is set."},
	}
}

// Installed is dut.Driver's.
func (Driver) Installed() (string, error) { return "", nil }

// Start is dut.Driver's: it only checks the scenario and opens the meter.
func (Driver) Start(_ context.Context, env dut.Env) (dut.Instance, error) {
	x := env.Scenario.External
	if x == nil {
		return nil, errors.New("the scenario has no section external: set external.n3_interface and external.n6_interface")
	}
	dialect, err := smf.Lookup(x.Dialect)
	if err != nil {
		return nil, fmt.Errorf("external.dialect: %w", err)
	}
	if x.PID != 0 {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", x.PID)); err != nil {
			return nil, fmt.Errorf("external.pid: there is no process %d here", x.PID)
		}
	}
	i := instance{scenario: env.Scenario, dialect: dialect}
	switch {
	case x.SSH != "":
		if i.shell, err = openShell(x.SSH, x.Process, answerTime); err != nil {
			return nil, err
		}
		i.meter = i.shell.meter
	case x.NodeExporter != "":
		n := nodeExporter(x.NodeExporter)
		if _, err := n.meter(); err != nil {
			return nil, err
		}
		i.meter = n.meter
	}
	return i, nil
}

// instance is dut.Instance for it: upflab neither starts nor stops the UPF.
type instance struct {
	scenario *scenario.Scenario
	dialect  smf.Dialect
	shell    *shell                    // nil: none
	meter    func() (dut.Meter, error) // nil: its machine does not report its CPU time
}

func (i instance) Endpoint() dut.Endpoint {
	return dut.Endpoint{N4: netip.AddrPortFrom(i.scenario.N4.UPF, 8805), Dialect: i.dialect, NoPSC: i.dialect.Name == "upg-vpp"}
}

func (i instance) PIDs() []int {
	if i.scenario.External.PID == 0 {
		return nil
	}
	return []int{i.scenario.External.PID}
}

func (instance) Drops() ([]record.Count, error) { return nil, nil }
func (i instance) Accounts() dut.Accounts       { return dut.Accounts{Meter: i.meter} }
func (instance) Exited() <-chan struct{}        { return nil }
func (instance) Status() string                 { return "" }
func (instance) LogTail() string                { return "" }
func (instance) Files() []string                { return nil }

// Stop ends what upflab started: a shell on the UPF's machine.
func (i instance) Stop() error {
	if i.shell == nil {
		return nil
	}
	return i.shell.Close()
}
