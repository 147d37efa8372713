// Package upf has the commands of the reference UPF.
package upf

import (
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/lab/dut/calibrator"
	"github.com/upflab/upflab/upf"
)

// New is `upflab upf`.
func New() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "upf --config FILE", Short: "Run the reference UPF on its own, for any SMF", Args: cobra.NoArgs,
		Long: `Run the reference UPF until you interrupt it. It uses the interfaces and addresses of the
network namespace that it starts in; docs/upf.md describes the configuration.

SIGHUP makes it read the configuration again. SIGTERM and SIGINT end it and its sessions. With
state.directory in the configuration, SIGUSR2 ends it and keeps the sessions for the next
start; so does a kill.`,
		RunE: func(c *cobra.Command, _ []string) error { return runUPF(c, file) },
	}
	configFlag(c, &file)
	c.AddCommand(newUPFCheck(), newUPFClean(), newUPFSessions(), newUPFSession(), newUPFDrops(), newUPFTop(), newUPFCapture(),
		printer("example", "Print a configuration with every key and what it means", upf.Example),
		printer("schema", "Print the JSON schema of the configuration", upf.Schema))
	return c
}

func configFlag(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "config", "", "YAML configuration `FILE` (required)")
	c.MarkFlagRequired("config")
}

func printer(name, short, text string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		_, err := fmt.Fprint(c.OutOrStdout(), text)
		return err
	}}
}

func newUPFCheck() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "check --config FILE", Short: "Check a configuration without starting anything", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := loadUPF(file)
			return err
		},
	}
	configFlag(c, &file)
	return c
}

// loadUPF reads a configuration, and adds what a calibrator does to N4.
func loadUPF(file string) (c upf.Config, err error) {
	if c, err = upf.LoadConfig(file, otherKinds()...); err != nil {
		return c, exit.WrongConfig(err)
	}
	_, lie, err := calibrator.Parse(c.Datapath.Calibrate)
	if err != nil {
		return c, exit.WrongConfig(fmt.Errorf("%s: datapath.calibrate: %w", file, err))
	}
	c.WrapN4 = func(conn net.PacketConn) (net.PacketConn, error) { return lie.Wrap(conn, c.N3.Address) }
	return c, nil
}
