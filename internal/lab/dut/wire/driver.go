package wire

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/scenario"
)

// Driver is dut.Driver for the wire.
type Driver struct{ Version string }

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		Name: "wire", Summary: "no UPF: bare XDP forwarding, what the bench itself costs",
		Docs: "part of upflab", Verified: "tried", IPv6UEs: true, IPv6Transport: true,
	}
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) { return d.Version, nil }

// Start implements dut.Driver. Where BPF does not work, or packet sockets would not receive what XDP redirects, and
// the engine does without, the wire is a bridge.
func (Driver) Start(_ context.Context, env dut.Env) (*dut.Instance, error) {
	if !host.VethReceives() && !needsXDP(env.Scenario) {
		return startBridge(env, "sockets behind a veth do not receive what XDP redirects before Linux 5.13")
	}
	w, err := Open(env.Site)
	if err == nil {
		return &dut.Instance{Program: dut.Resident{Close: w.Close}, Endpoint: w.endpoint()}, nil
	}
	if !errors.Is(err, unix.EPERM) || needsXDP(env.Scenario) {
		return nil, err
	}
	i, failed := startBridge(env, "BPF programs cannot be loaded here")
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	return i, nil
}

func needsXDP(s *scenario.Scenario) bool {
	return s.Engine == scenario.EngineXDP || s.Engine == scenario.EngineAFXDP
}

func startBridge(env dut.Env, why string) (*dut.Instance, error) {
	if _, err := OpenBridge(env.Site); err != nil {
		return nil, err
	}
	return &dut.Instance{Program: dut.Resident{}, Endpoint: dut.Endpoint{Kind: dut.Bridge,
		Remarks: []string{"The wire is an Ethernet bridge of the kernel, since " + why +
			"; it costs more than bare XDP forwarding."}}}, nil
}

func (w *Wire) endpoint() dut.Endpoint {
	e := dut.Endpoint{Kind: dut.Wire, XDP: dut.XDPIn(w.native)}
	if !w.native {
		e.Remarks = []string{"The wire runs in generic XDP here. " + site.NoNativeXDP + "."}
	}
	return e
}
