package console

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/text/wrap"
)

// Help prints what a command is and how it is called, as wide as the terminal.
func Help(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	about := c.Long
	if about == "" {
		about = c.Short
	}
	fmt.Fprintln(w, Fitted(about, Columns(w)))
	fmt.Fprintln(w)
	Usage(c, w) // a write that fails is noticed by the stream
}

// Usage prints how a command is called.
func Usage(c *cobra.Command, w io.Writer) {
	width := Columns(w)
	fmt.Fprintf(w, "Usage:\n  %s\n", exit.UsageLine(c))
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	for _, g := range c.Groups() {
		showCommands(w, g.Title, below(c, g.ID))
	}
	showCommands(w, "Commands", below(c, ""))
	if c.HasAvailableLocalFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", c.LocalFlags().FlagUsagesWrapped(width))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\n"+Fitted(fmt.Sprintf("Use \"%s COMMAND --help\" for more about a command.", c.CommandPath()), width))
	}
}

// below are the commands of a group below a command; "": those without one.
func below(c *cobra.Command, group string) (list []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.GroupID == group {
			list = append(list, sub)
		}
	}
	return list
}

func showCommands(w io.Writer, title string, list []*cobra.Command) {
	if len(list) == 0 {
		return
	}
	width := 0
	for _, c := range list {
		width = max(width, len(c.Name()))
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, c := range list {
		lead := fmt.Sprintf("  %-*s  ", width, c.Name())
		for _, line := range wrap.Lines(c.Short, Columns(w)-len(lead)) {
			fmt.Fprintln(w, strings.TrimRight(lead+line, " "))
			lead = strings.Repeat(" ", len(lead))
		}
	}
}
