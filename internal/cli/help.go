package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/text/wrap"
)

// The groups of commands, in the order of the help.
const (
	toMeasure = "measure"
	toRead    = "read"
	toSetUp   = "setup"
	toProve   = "prove"
	ofFleet   = "fleet"
	ofUPF     = "upf"
)

// groups are the titles of the groups.
func groups() []*cobra.Group {
	return []*cobra.Group{{ID: toMeasure, Title: "Measure"}, {ID: toRead, Title: "Read"}, {ID: toSetUp, Title: "Set up"},
		{ID: toProve, Title: "Prove the bench"}, {ID: ofFleet, Title: "Fleet"}, {ID: ofUPF, Title: "Reference UPF"}}
}

// inGroup puts commands into a group.
func inGroup(id string, list ...*cobra.Command) []*cobra.Command {
	for _, c := range list {
		c.GroupID = id
	}
	return list
}

// showHelp prints what a command is and how it is called, as wide as the terminal.
func showHelp(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	about := c.Long
	if about == "" {
		about = c.Short
	}
	fmt.Fprintln(w, fitted(about, columns(w)))
	fmt.Fprintln(w)
	showUsage(c, w) // a write that fails is noticed by the stream
}

// showUsage prints how a command is called.
func showUsage(c *cobra.Command, w io.Writer) {
	width := columns(w)
	fmt.Fprintf(w, "Usage:\n  %s\n", usageLine(c))
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
		fmt.Fprintln(w, "\n"+fitted(fmt.Sprintf("Use \"%s COMMAND --help\" for more about a command.", c.CommandPath()), width))
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
		for _, line := range wrap.Lines(c.Short, columns(w)-len(lead)) {
			fmt.Fprintln(w, strings.TrimRight(lead+line, " "))
			lead = strings.Repeat(" ", len(lead))
		}
	}
}

// fitted breaks the lines of a text that are wider than a terminal. What goes on keeps the line's
// indent.
func fitted(text string, width int) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if utf8.RuneCountInString(line) <= width {
			lines = append(lines, line)
			continue
		}
		for _, part := range wrap.Lines(strings.TrimSpace(line), width-len(indent)) {
			lines = append(lines, indent+part)
		}
	}
	return strings.Join(lines, "\n")
}
