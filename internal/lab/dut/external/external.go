// Package external is the DUT that runs elsewhere: only its addresses are known.
package external

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Driver is dut.Driver for a UPF that is already running.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		Name: "external", Summary: "a UPF that runs elsewhere, by its addresses",
		Docs: "docs/reference/keys.md, section external", Verified: "tried", External: true, IPv6UEs: true, IPv6Transport: true,
	}
}

// Installed implements dut.Driver: the version of a UPF that runs elsewhere is not known.
func (Driver) Installed() (string, error) { return "", nil }

// Start implements dut.Driver: it only checks the scenario and opens the meter.
func (Driver) Start(_ context.Context, env dut.Env) (*dut.Instance, error) {
	x := env.Scenario.External
	if x == nil {
		return nil, errors.New("the scenario has no section external: set external.n3_interface and external.n6_interface")
	}
	dialect, err := smf.Lookup(x.Dialect)
	if err != nil {
		return nil, fmt.Errorf("external.dialect: %w", err)
	}
	_, n4 := env.Scenario.N4Ends()
	i := &dut.Instance{Endpoint: dut.Endpoint{
		N4: netip.AddrPortFrom(n4, pfcp.Port), Dialect: dialect}}
	runs := dut.Resident{}
	switch {
	case x.SSH != "":
		remote, err := openShell(x.SSH, x.Process, answerTime)
		if err != nil {
			return nil, err
		}
		i.Meter, runs.Close = remote.meter, remote.Close
	case x.NodeExporter != "":
		n := nodeExporter(x.NodeExporter)
		if _, err := n.meter(); err != nil {
			return nil, err
		}
		i.Meter = n.meter
	}
	if x.PID == 0 && i.Meter == nil {
		i.Endpoint.Remarks = []string{"Its CPU is not measured: set external.pid, external.ssh or external.node_exporter."}
	}
	i.Program = runs
	if x.PID != 0 {
		p, err := watch(x.PID, runs)
		if err != nil {
			return nil, errors.Join(err, runs.Stop())
		}
		i.Program, i.Endpoint.Remarks = p, append(i.Endpoint.Remarks, p.remarks()...)
	}
	return i, nil
}
