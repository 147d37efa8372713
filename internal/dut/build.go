package dut

import (
	"context"
	"os"

	"github.com/upflab/upflab/internal/scenario"
)

// Build is one of several builds of a UPF that are measured in one run: the Driver finds
// its program by the environment variable, which is set while it looks. Builds are
// visited one after another, as all DUTs of a run are.
type Build struct {
	Driver
	Name     string // in the result, as "eupf@1f2e3d"
	Variable string // "UPFLAB_EUPF"
	Value    string // of the variable: the program
}

// Info is Driver's, under the build's name.
func (b Build) Info() Info {
	info := b.Driver.Info()
	info.Name = b.Name
	return info
}

// Installed is Driver's.
func (b Build) Installed() (version string, err error) {
	err = b.with(func() error {
		version, err = b.Driver.Installed()
		return err
	})
	return version, err
}

// Start is Driver's.
func (b Build) Start(ctx context.Context, env Env) (i Instance, err error) {
	err = b.with(func() error {
		i, err = b.Driver.Start(ctx, env)
		return err
	})
	return i, err
}

// with sets the variable for as long as do takes.
func (b Build) with(do func() error) error {
	before, had := os.LookupEnv(b.Variable)
	if err := os.Setenv(b.Variable, b.Value); err != nil {
		return err
	}
	defer func() {
		if had {
			os.Setenv(b.Variable, before)
		} else {
			os.Unsetenv(b.Variable)
		}
	}()
	return do()
}

// Defects is Flawed's: those of the Driver, where it knows some.
func (b Build) Defects(mode string, s *scenario.Scenario) []string {
	if flawed, is := b.Driver.(Flawed); is {
		return flawed.Defects(mode, s)
	}
	return nil
}
