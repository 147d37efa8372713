package rates

import (
	"context"
	"errors"

	"github.com/upflab/upflab/internal/lab/dut"
)

// noDUT is a driver that has a name and starts nothing.
type noDUT struct{ name string }

func (d noDUT) Info() dut.Info { return dut.Info{Name: d.name} }

func (noDUT) Installed() (string, error) { return "", nil }

func (noDUT) Start(context.Context, dut.Env) (*dut.Instance, error) {
	return nil, errors.New("starts nothing")
}
