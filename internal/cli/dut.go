package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
)

func newDUT() *cobra.Command {
	list := func(c *cobra.Command, _ []string) error {
		return listDUTs(c.OutOrStdout(), drivers.List(tool().Version))
	}
	c := &cobra.Command{Use: "dut", Short: "List the devices under test", Args: cobra.NoArgs, RunE: list}
	c.AddCommand(&cobra.Command{Use: "list", Args: cobra.NoArgs, RunE: list,
		Short: "List every DUT, its modes, and whether it is installed here"})
	c.AddCommand(newDUTDoctor(), newDUTConfig())
	return c
}

// listDUTs writes a table, then where to get what is not installed.
func listDUTs(out io.Writer, all []dut.Listed) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DUT\tMODES\tINSTALLED\tVERSION\tVERIFIED\tWHAT")
	var hints []string
	for _, d := range all {
		info := d.Info()
		version, err := d.Installed()
		state, old := "yes", ""
		switch {
		case err != nil:
			state = "no"
			hints = append(hints, dut.Missing(info, err).Error())
		case info.External:
			state = "-"
		case dut.Older(version, info.Oldest):
			old = " (older than known)"
		}
		fmt.Fprintln(w, strings.Join([]string{info.Name, dash(strings.Join(info.Modes, ", ")), state, dash(version) + old,
			info.Verified, info.Summary}, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nMeasure one with `upflab run --dut NAME[:MODE]`; its first mode is the default.")
	for _, h := range hints {
		fmt.Fprintln(out, "\n"+h)
	}
	return nil
}

// dash is "-" for an empty text.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
