package measure

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/internal/machine/vm/inside"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// newGuest is what a virtual machine starts with, not for people.
func newGuest() *cobra.Command {
	return &cobra.Command{
		Use: inside.Command, Args: cobra.NoArgs, Hidden: true,
		Short: "In a virtual machine: run the command that it was booted for",
		RunE:  func(*cobra.Command, []string) error { return inside.Run() },
	}
}

// newVM boots a virtual machine for any command, for tests of upflab under other kernels.
func newVM() *cobra.Command {
	asked := (&scenario.Scenario{}).GuestOf()
	var writable []string
	var console string
	c := &cobra.Command{
		Use: "vm -- COMMAND...", Args: cobra.MinimumNArgs(1), Hidden: true,
		Short: "Run a command in a virtual machine that sees this machine's files",
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkVM(asked); err != nil {
				return err
			}
			q, m, err := bootable(c, asked)
			if err != nil {
				return err
			}
			for _, folder := range writable {
				if folder, err = filepath.Abs(folder); err != nil {
					return err
				}
				m.Writable = append(m.Writable, folder)
			}
			if err := seesWorkingDirectory(m); err != nil {
				return exit.WrongConfig(err)
			}
			command, err := hostCommand(c.OutOrStdout(), nil)
			if err != nil {
				return err
			}
			command.Args = args
			if console != "" {
				log, err := safefile.Create(console, 0o644)
				if err != nil {
					return err
				}
				defer log.Close()
				command.Console = log
			}
			command.Up = func(inside.Up) { fmt.Fprintf(c.ErrOrStderr(), "booted: %s\n", machineWords(q, m)) }
			status, err := q.Run(c.Context(), m, command)
			return outcomeInVM(status, err)
		},
	}
	c.Flags().StringVar(&asked.Kernel, "kernel", asked.Kernel, "as the setting vm.kernel: `KERNEL`")
	c.Flags().StringVar((*string)(&asked.NIC), "nic", string(asked.NIC), "as the setting vm.nic: `MODEL`")
	c.Flags().IntVar(&asked.CPUs, "cpus", asked.CPUs, "as the setting vm.cpus: `N`")
	c.Flags().IntVar(&asked.Memory, "memory", asked.Memory, "as the setting vm.memory: `MIB`")
	c.Flags().StringArrayVar(&writable, "write", nil, "`FOLDER` of this machine that the command may write to; may be repeated")
	c.Flags().StringVar(&console, "console", "", "`FILE` for what the kernel there prints")
	return c
}

// checkVM refuses what no scenario can ask for.
func checkVM(asked scenario.VM) error {
	_, err := scenario.Open(runflags.DefaultScenario, []string{"vm.kernel=" + asked.Kernel, "vm.nic=" + string(asked.NIC),
		fmt.Sprint("vm.cpus=", asked.CPUs), fmt.Sprint("vm.memory=", asked.Memory)}, false)
	if err != nil {
		return exit.WrongConfig(err)
	}
	return nil
}
