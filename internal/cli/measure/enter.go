package measure

import (
	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/lab/dut/process"
)

// newEnter is what a container of docker's starts with, not for people: it joins the
// UPF's namespace and becomes the program.
func newEnter() *cobra.Command {
	return &cobra.Command{
		Use: process.EnterCommand + " -- PROGRAM [ARGUMENT...]", Args: cobra.MinimumNArgs(1), Hidden: true,
		Short: "Join the network namespace of a UPF, in a container",
		RunE:  func(_ *cobra.Command, args []string) error { return process.Enter(args) },
	}
}
