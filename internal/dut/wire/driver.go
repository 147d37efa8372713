package wire

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/site"
)

// Driver is dut.Driver for the wire.
type Driver struct{ Version string }

// Info is dut.Driver's.
func (Driver) Info() dut.Info {
	return dut.Info{
		Name: "wire", Summary: "no UPF: bare XDP forwarding, what the bench itself costs",
		Docs: "part of upflab", Verified: "run here",
	}
}

// Installed is dut.Driver's.
func (d Driver) Installed() (string, error) { return d.Version, nil }

// Start is dut.Driver's. Where BPF does not work and the engine does without, the
// wire is a bridge.
func (Driver) Start(_ context.Context, env dut.Env) (dut.Instance, error) {
	w, err := Open(env.Site)
	if err == nil {
		return instance{close: w.Close, at: w.endpoint()}, nil
	}
	if env.Scenario.Engine == scenario.EngineXDP || env.Scenario.Engine == scenario.EngineAFXDP || !errors.Is(err, unix.EPERM) {
		return nil, err
	}
	if _, failed := OpenBridge(env.Site); failed != nil {
		return nil, errors.Join(err, failed)
	}
	return instance{close: func() error { return nil }, at: dut.Endpoint{Wire: true, Bridge: true,
		Remarks: []string{"The wire is an Ethernet bridge of the kernel, since BPF programs cannot be loaded here; it costs more than bare XDP forwarding."}}}, nil
}

func (w *Wire) endpoint() dut.Endpoint {
	e := dut.Endpoint{Wire: true, NativeXDP: w.native, GenericXDP: !w.native}
	if e.GenericXDP {
		e.Remarks = []string{"The wire runs in generic XDP here. " + site.NoNativeXDP + "."}
	}
	return e
}

// instance is dut.Instance for a wire: it has no process and never ends.
type instance struct {
	at    dut.Endpoint
	close func() error
}

func (i instance) Endpoint() dut.Endpoint       { return i.at }
func (instance) PIDs() []int                    { return nil }
func (instance) Drops() ([]record.Count, error) { return nil, nil }
func (instance) Accounts() dut.Accounts         { return dut.Accounts{} }
func (instance) Exited() <-chan struct{}        { return nil }
func (instance) Status() string                 { return "" }
func (instance) LogTail() string                { return "" }
func (instance) Files() []string                { return nil }
func (i instance) Stop() error                  { return i.close() }
