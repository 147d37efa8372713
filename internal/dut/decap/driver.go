// Package decap is the DUT that does the least a UPF can do: it takes the outer headers
// off and puts them on, with TEIDs computed from UE addresses: no rules, no lookup. What goes through it
// is the ceiling of everything around it, GTP-U included.
package decap

import (
	"context"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/site"
)

// The modes: where the programs are attached.
const (
	modeTC  = "tc"
	modeXDP = "xdp"
)

// Driver is dut.Driver for the bare decapsulator.
type Driver struct{ Version string }

// Info is dut.Driver's.
func (Driver) Info() dut.Info {
	return dut.Info{
		Name: "decap", Modes: []string{modeTC, modeXDP}, Summary: "no UPF: takes GTP-U off and puts it on, the ceiling of the UE gateway",
		Docs: "part of upflab", Verified: "run here",
	}
}

// Installed is dut.Driver's.
func (d Driver) Installed() (string, error) { return d.Version, nil }

// Start is dut.Driver's.
func (Driver) Start(_ context.Context, env dut.Env) (dut.Instance, error) {
	d, err := open(env)
	if err != nil {
		return nil, err
	}
	return instance{d}, nil
}

// instance is dut.Instance: it has no process and never ends.
type instance struct{ *decapsulator }

func (i instance) Endpoint() dut.Endpoint {
	e := dut.Endpoint{Unruled: true}
	if i.mode == modeXDP {
		e.NativeXDP, e.GenericXDP = i.native, !i.native
	}
	if e.GenericXDP {
		e.Remarks = []string{"The decapsulator runs in generic XDP here. " + site.NoNativeXDP + "."}
	}
	return e
}
func (instance) PIDs() []int                    { return nil }
func (instance) Drops() ([]record.Count, error) { return nil, nil }
func (instance) Accounts() dut.Accounts         { return dut.Accounts{} }
func (instance) Exited() <-chan struct{}        { return nil }
func (instance) Status() string                 { return "" }
func (instance) LogTail() string                { return "" }
func (instance) Files() []string                { return nil }
func (i instance) Stop() error                  { return i.close() }
