package bess

import (
	"context"
	"fmt"
)

// Module of the pipeline.
type Module struct {
	Name  string
	Class string // "Sink", "ExactMatch" ...
}

// Modules lists all.
func (c *Client) Modules(ctx context.Context) ([]Module, error) {
	answer, err := c.call(ctx, "ListModules", nil)
	if err != nil {
		return nil, err
	}
	return parseModules(answer)
}

func parseModules(answer []byte) (list []Module, err error) {
	err = each(answer, func(x field) error {
		if x.number != 2 {
			return nil
		}
		var m Module
		err := each(x.bytes, func(y field) error {
			switch y.number {
			case 1:
				m.Name = string(y.bytes)
			case 2:
				m.Class = string(y.bytes)
			}
			return nil
		})
		list = append(list, m)
		return err
	})
	return list, err
}

// Gates are a module's: packets that came in and went out, and how many modules
// are connected behind it.
type Gates struct {
	In        uint64 // packets, over all input gates
	Connected int    // output gates
}

// Gates of one module.
func (c *Client) Gates(ctx context.Context, module string) (Gates, error) {
	answer, err := c.call(ctx, "GetModuleInfo", text(1, module))
	if err != nil {
		return Gates{}, fmt.Errorf("module %s: %w", module, err)
	}
	return parseGates(answer)
}

func parseGates(answer []byte) (g Gates, err error) {
	err = each(answer, func(x field) error {
		switch x.number {
		case 6: // IGate
			return each(x.bytes, func(y field) error {
				if y.number == 4 {
					g.In += y.value
				}
				return nil
			})
		case 7: // OGate
			g.Connected++
		}
		return nil
	})
	return g, err
}
