package campaign

import (
	"context"
	"errors"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// noDUT is a driver that has a name and starts nothing.
type noDUT struct{ name string }

func (d noDUT) Info() dut.Info { return dut.Info{Name: d.name} }

func (noDUT) Installed() (string, error) { return "", nil }

func (noDUT) Start(context.Context, dut.Env) (*dut.Instance, error) {
	return nil, errors.New("starts nothing")
}

// settings opens a built-in scenario with changes.
func settings(t *testing.T, name string, sets ...string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Open(name, sets, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
