package setup

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
)

func newDUT() *cobra.Command {
	list := func(c *cobra.Command, asJSON bool) error {
		return listDUTs(c.OutOrStdout(), drivers.List(tool.Facts().Version), asJSON)
	}
	c := &cobra.Command{Use: "dut", Short: "List the devices under test", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return list(c, false) }}
	c.AddCommand(console.ListCommand("list", "List every DUT, its modes, and whether it is installed here", list), newDUTDoctor(), newDUTConfig())
	return c
}

// listedDUT is a line of the list, as --json prints it.
type listedDUT struct {
	Name      string   `json:"name"`
	Modes     []string `json:"modes"`
	Installed string   `json:"installed"` // yes, no, or - where upflab does not start it
	Version   string   `json:"version"`
	Older     bool     `json:"older_than_known"`
	Verified  string   `json:"verified"`
	Summary   string   `json:"summary"`
	Missing   string   `json:"missing"` // why it is not installed, and what gets it
}

func listed(d dut.Listed) listedDUT {
	info := d.Info()
	version, err := d.Installed()
	l := listedDUT{Name: info.Name, Modes: append([]string{}, info.Modes...), Installed: "yes", Version: version,
		Verified: info.Verified, Summary: info.Summary}
	switch {
	case err != nil:
		l.Installed, l.Missing = "no", dut.Missing(info, err).Error()
	case info.External:
		l.Installed = "-"
	default:
		l.Older = dut.Older(version, info.Oldest)
	}
	return l
}

// listDUTs writes a table, what each is, then where to get what is not installed.
func listDUTs(out io.Writer, all []dut.Listed, asJSON bool) error {
	list := console.Listing{Head: []string{"DUT", "MODES", "INSTALLED", "VERSION"}}
	about := console.Listing{Head: []string{"DUT", "WHAT"}}
	var entries []listedDUT
	for _, d := range all {
		e, old := listed(d), ""
		if e.Older {
			old = " (older than known)"
		}
		entries = append(entries, e)
		list.Rows = append(list.Rows, []string{e.Name, console.Dash(strings.Join(e.Modes, ", ")), e.Installed, console.Dash(e.Version) + old})
		about.Rows = append(about.Rows, []string{e.Name, e.Summary})
	}
	list.Entries = entries
	if err := list.Print(out, asJSON); err != nil || asJSON {
		return err
	}
	if err := about.Below(out); err != nil {
		return err
	}
	fmt.Fprintln(out, "\n"+console.Fitted("Measure one with `upflab run --dut NAME[:MODE]`; its first mode is the default. --json also says what of each was tried.", console.Columns(out)))
	for _, e := range entries {
		if e.Missing != "" {
			hint := e.Missing
			if width := console.Terminal(out); width > 0 {
				hint = console.Fitted(hint, width)
			}
			fmt.Fprintln(out, "\n"+hint)
		}
	}
	return nil
}
