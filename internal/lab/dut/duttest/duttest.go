// Package duttest has a driver for tests.
package duttest

import (
	"context"
	"errors"

	"github.com/upflab/upflab/internal/lab/dut"
)

// None is a driver that has a name and starts nothing.
type None struct{ Name string }

// Info has the name alone.
func (n None) Info() dut.Info { return dut.Info{Name: n.Name} }

// Installed says that there is nothing to install.
func (None) Installed() (string, error) { return "", nil }

// Start is an error.
func (None) Start(context.Context, dut.Env) (*dut.Instance, error) {
	return nil, errors.New("starts nothing")
}
