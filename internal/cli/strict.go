package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/text/spelling"
)

// strict makes wrong arguments a usage error everywhere, and so a subcommand that does not
// exist: cobra shows help for those of commands that do nothing by themselves.
func strict(c *cobra.Command) {
	switch {
	case c.Name() == "help":
		c.RunE = help
	case c.HasSubCommands() && !strings.Contains(c.Use, " "):
		c.Args = onlyCommands
	}
	if c.HasSubCommands() && !c.Runnable() {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return exit.WrongUsage(c, counted(c, args, err))
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		strict(sub)
	}
}

// onlyCommands takes no argument: what stands there is no command.
func onlyCommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	all := ""
	if c.HasParent() { // the help of upflab has the others
		all = "; there are: " + strings.Join(names, ", ")
	}
	return fmt.Errorf("unknown command %q for %q%s%s", args[0], c.CommandPath(), spelling.DidYouMean(args[0], names), all)
}

// counted says of a command without commands how many arguments it takes: the library calls one too
// many a command.
func counted(c *cobra.Command, args []string, err error) error {
	unknown := strings.HasPrefix(err.Error(), "unknown command")
	switch n := strings.Count(c.Use, " "); {
	case unknown && !c.HasSubCommands():
		return fmt.Errorf("%s takes no argument, and %q is one", c.CommandPath(), args[0])
	case strings.HasPrefix(err.Error(), "accepts ") && len(args) == 0:
		return fmt.Errorf("%s needs an argument: %s", c.CommandPath(), argumentsOf(c))
	case strings.HasPrefix(err.Error(), "accepts ") && n > 0:
		return fmt.Errorf("%s takes %s, and %q is too many", c.CommandPath(), argumentsOf(c), args[len(args)-1])
	}
	return err
}

// argumentsOf are the arguments of a command as its usage names them: "A [B]".
func argumentsOf(c *cobra.Command) string {
	words := strings.Fields(c.Use)[1:]
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") }); i >= 0 {
		words = words[:i]
	}
	return strings.Join(words, " ")
}

// help shows the help of a command that its arguments name.
func help(c *cobra.Command, args []string) error {
	found, rest, err := c.Root().Find(args)
	if err == nil && len(rest) > 0 && found.HasSubCommands() {
		err = onlyCommands(found, rest)
	}
	if err != nil {
		return exit.WrongUsage(c, err)
	}
	found.InitDefaultHelpFlag()
	return found.Help()
}
