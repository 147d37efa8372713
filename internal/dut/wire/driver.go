package wire

import (
	"context"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/result"
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

// Start is dut.Driver's.
func (Driver) Start(_ context.Context, env dut.Env) (dut.Instance, error) {
	w, err := Open(env.Testbed)
	if err != nil {
		return nil, err
	}
	return instance{w}, nil
}

// instance is dut.Instance for a wire: it has no process and never ends.
type instance struct{ wire *Wire }

// Endpoint is dut.Instance's.
func (i instance) Endpoint() dut.Endpoint {
	e := dut.Endpoint{Wire: true, NativeXDP: i.wire.native, GenericXDP: !i.wire.native}
	if e.GenericXDP {
		e.Remarks = []string{"The wire runs in generic XDP here: N3 or N6 has no native XDP on this kind of link."}
	}
	return e
}

func (instance) PIDs() []int                    { return nil }
func (instance) Drops() ([]result.Count, error) { return nil, nil }
func (instance) Exited() <-chan struct{}        { return nil }
func (instance) Status() string                 { return "" }
func (instance) LogTail() string                { return "" }
func (instance) Files() []string                { return nil }
func (i instance) Stop() error                  { return i.wire.Close() }
