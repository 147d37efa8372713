package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/clitest"
)

// TestHelp holds what each command says of itself.
func TestHelp(t *testing.T) {
	for _, c := range append(commands(newRoot()), newRoot()) {
		words := strings.Fields(c.CommandPath())[1:]
		status, out, errors := typed(append(words, "--help")...)
		if status != 0 || errors != "" {
			t.Errorf("%s --help: status %d, says %s", c.CommandPath(), status, errors)
		}
		clitest.Golden(t, "help/"+strings.Join(append([]string{"upflab"}, words...), "-")+".txt", out)
	}
}

// commands lists all that a user may type, but those that every program of this
// kind has.
func commands(c *cobra.Command) (all []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.Name() != "help" && sub.Name() != "completion" {
			all = append(append(all, sub), commands(sub)...)
		}
	}
	return all
}

// TestHelpFits: lines fit a terminal of 100 columns, but for the library's own.
func TestHelpFits(t *testing.T) {
	for _, c := range commands(newRoot()) {
		for _, text := range []string{c.Long, c.Short, c.Example} {
			for _, line := range strings.Split(text, "\n") {
				if len([]rune(line)) > 100 {
					t.Errorf("%s: %d columns: %s", c.CommandPath(), len([]rune(line)), line)
				}
			}
		}
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: its short description is %q", c.CommandPath(), c.Short)
		}
	}
}
