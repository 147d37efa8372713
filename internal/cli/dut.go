package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/dut/drivers"
)

func newDUT() *cobra.Command {
	c := &cobra.Command{Use: "dut", Short: "List the devices under test", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return listDUTs(c) }}
	c.AddCommand(&cobra.Command{Use: "list", Short: "List every DUT, its modes, and whether it is installed here", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return listDUTs(c) }})
	return c
}

func listDUTs(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DUT\tMODES\tINSTALLED\tVERIFIED\tWHAT")
	var hints []string
	for _, d := range drivers.All(tool().Version) {
		info := d.Info()
		state := "yes"
		if version, err := d.Installed(); err != nil {
			state = "no"
			hints = append(hints, err.Error())
		} else if version != "" {
			state = version
		}
		modes := strings.Join(info.Modes, ", ")
		if modes == "" {
			modes = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", info.Name, modes, state, info.Verified, info.Summary)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, h := range hints {
		fmt.Fprintln(c.OutOrStdout(), "\n"+h)
	}
	return nil
}
