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

// Output is a gate by which packets leave a module.
type Output struct {
	Next    string // the module behind it
	Packets uint64 // so far
}

// Outputs of one module that lead somewhere. BESS counts packets there: what came
// in at the next module's gate it does not tell.
func (c *Client) Outputs(ctx context.Context, module string) ([]Output, error) {
	answer, err := c.call(ctx, "GetModuleInfo", text(1, module))
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", module, err)
	}
	return parseOutputs(answer)
}

func parseOutputs(answer []byte) (list []Output, err error) {
	err = each(answer, func(x field) error {
		if x.number != 7 { // OGate
			return nil
		}
		var o Output
		err := each(x.bytes, func(y field) error {
			switch y.number {
			case 3:
				o.Packets = y.value
			case 6:
				o.Next = string(y.bytes)
			}
			return nil
		})
		list = append(list, o)
		return err
	})
	return list, err
}
