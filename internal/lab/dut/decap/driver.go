// Package decap is the DUT that does the least a UPF can do: it takes the outer headers
// off and puts them on, with TEIDs computed from UE addresses: no rules, no lookup. What goes through it
// is the ceiling of everything around it, GTP-U included.
package decap

import (
	"context"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
)

// The modes: where the programs are attached.
const (
	modeTC  = "tc"
	modeXDP = "xdp"
)

// Driver is dut.Driver for the bare decapsulator.
type Driver struct{ Version string }

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		IPv6UEs:         true,
		NoIPv6Transport: "it strips headers of IPv4",
		Name:            "decap", Modes: []string{modeTC, modeXDP}, Summary: "no UPF: takes GTP-U off and puts it on, the ceiling of the UE gateway",
		Docs: "part of upflab", Verified: "tried",
	}
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) { return d.Version, nil }

// Start implements dut.Driver: it loads the programs that take GTP-U off and put it on.
func (Driver) Start(_ context.Context, env dut.Env) (*dut.Instance, error) {
	d, err := open(env)
	if err != nil {
		return nil, err
	}
	return &dut.Instance{Program: dut.Resident{Close: d.close}, Endpoint: d.endpoint()}, nil
}

func (d *decapsulator) endpoint() dut.Endpoint {
	e := dut.Endpoint{Kind: dut.Decapsulator}
	if d.mode == modeXDP {
		e.XDP = dut.XDPIn(d.native)
	}
	if e.XDP == dut.GenericXDP {
		e.Remarks = []string{"The decapsulator runs in generic XDP here. " + site.NoNativeXDP + "."}
	}
	return e
}
