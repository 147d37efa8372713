package bess

import (
	"context"
	"fmt"
)

// Version of bessd.
func (c *Client) Version(ctx context.Context) (string, error) {
	var a versionResponse
	err := c.call(ctx, "GetVersion", &emptyRequest{}, &a)
	return a.Version, err
}

// Module of the pipeline.
type Module struct {
	Name  string
	Class string // "Sink", "ExactMatch" ...
}

// Modules lists all.
func (c *Client) Modules(ctx context.Context) (list []Module, err error) {
	var a modulesResponse
	if err := c.call(ctx, "ListModules", &emptyRequest{}, &a); err != nil {
		return nil, err
	}
	for _, m := range a.Modules {
		list = append(list, Module{Name: m.Name, Class: m.Class})
	}
	return list, nil
}

// Output is a gate through which packets leave a module.
type Output struct {
	Next    string // the module behind it
	Packets uint64 // so far
}

// Outputs of one module that lead somewhere. BESS counts packets there, and not at the
// next module's input gate.
func (c *Client) Outputs(ctx context.Context, module string) (list []Output, err error) {
	var a moduleInfoResponse
	if err := c.call(ctx, "GetModuleInfo", &namedRequest{Name: module}, &a); err != nil {
		return nil, fmt.Errorf("module %s: %w", module, err)
	}
	for _, g := range a.Gates {
		list = append(list, Output{Next: g.Next, Packets: g.Packets})
	}
	return list, nil
}

// Direction has the counters of one direction of a port.
type Direction struct {
	Packets uint64
	Dropped uint64
	// Actual is how often so many packets were moved at once; Actual[0] is the number
	// of polls that found nothing.
	Actual []uint64
}

// PortStats are a port's totals.
type PortStats struct{ In, Out Direction }

// PortStats of one port.
func (c *Client) PortStats(ctx context.Context, port string) (PortStats, error) {
	var a portStatsResponse
	if err := c.call(ctx, "GetPortStats", &namedRequest{Name: port}, &a); err != nil {
		return PortStats{}, fmt.Errorf("port %s: %w", port, err)
	}
	return PortStats{In: a.In.direction(), Out: a.Out.direction()}, nil
}

func (d *portDirection) direction() Direction {
	if d == nil {
		return Direction{}
	}
	return Direction{Packets: d.Packets, Dropped: d.Dropped, Actual: d.Actual}
}

// SilentDrops are packets that a module sent to a gate with nothing behind it, over all
// workers.
func (c *Client) SilentDrops(ctx context.Context) (n uint64, err error) {
	var a workersResponse
	err = c.call(ctx, "ListWorkers", &emptyRequest{}, &a)
	for _, w := range a.Workers {
		n += uint64(w.SilentDrops)
	}
	return n, err
}

// Leaf is a traffic class that is a task: here, the polling of a port's queue.
type Leaf struct {
	Name   string
	Module string // whose task it is
}

// Leaves of all workers.
func (c *Client) Leaves(ctx context.Context) (list []Leaf, err error) {
	var a classesResponse
	if err := c.call(ctx, "ListTcs", &classesRequest{Worker: -1}, &a); err != nil {
		return nil, err
	}
	for _, s := range a.Classes {
		if s.Class != nil && s.Class.Policy == "leaf" {
			list = append(list, Leaf{Name: s.Class.Name, Module: s.Class.Module})
		}
	}
	return list, nil
}

// Usage is what a traffic class has used so far.
type Usage struct {
	Rounds  uint64 // times it was scheduled
	Cycles  uint64
	Packets uint64
}

// Usage of one traffic class.
func (c *Client) Usage(ctx context.Context, class string) (Usage, error) {
	var a classStatsResponse
	if err := c.call(ctx, "GetTcStats", &namedRequest{Name: class}, &a); err != nil {
		return Usage{}, fmt.Errorf("traffic class %s: %w", class, err)
	}
	return Usage{Rounds: a.Rounds, Cycles: a.Cycles, Packets: a.Packets}, nil
}
