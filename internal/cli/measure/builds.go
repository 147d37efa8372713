package measure

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/scenario"
)

// buildFlags choose several builds of the one DUT.
type buildFlags struct {
	builds   []string // NAME=PROGRAM
	variable string
}

func (f *buildFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.builds, "build", nil,
		"measure the DUT with this program, `NAME=PROGRAM`, as DUT@NAME; give it twice to measure both in turn (see upflab compare)")
	c.Flags().StringVar(&f.variable, "variable", "",
		"with --build: environment `VARIABLE` that names the program to upflab; default: UPFLAB_NAME of the DUT")
}

// targets are what a run measures, the references first. With --dry-run they need not be
// installed; absent says how to get those that are not.
func (f runFlags) targets(s *scenario.Scenario) (list []dut.Target, absent prepare.AbsentError, err error) {
	switch {
	case len(f.builds) == 0 && f.variable != "":
		return nil, nil, exit.WrongConfig(errors.New("--variable goes with --build"))
	case len(f.builds) == 0:
		list, absent, err = prepare.Targets(f.DUTs, s)
		if err == nil && len(absent) > 0 && !f.dry {
			err = absent
		}
		return list, absent, err
	case len(f.DUTs) != 1:
		return nil, nil, exit.WrongConfig(errors.New("--build: the builds are of one UPF: give one --dut"))
	}
	list, err = drivers.Builds(f.DUTs[0], f.variable, f.builds, s, tool.Facts().Version)
	return list, nil, err
}
