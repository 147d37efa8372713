package read

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/reason"
	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/text/wrap"
)

func newExplain() *cobra.Command {
	c := &cobra.Command{
		Use: "explain [REASON]", Args: cobra.MaximumNArgs(1),
		Short: "Explain why a figure is not valid, or what limited it: cause and fix",
		Long: `Explain a reason that a report names: why a trial or a search is not valid, what limited
it, or what to keep in mind. Without a reason: list all of them.`,
		Example: `  upflab explain cpus_apart
  upflab explain limited_by_link`,
	}
	asJSON := console.JSONFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		list := reason.All()
		if len(args) > 0 {
			r, known := reason.Of(args[0])
			if !known {
				return exit.WrongConfig(fmt.Errorf("there is no reason %q%s; `upflab explain` lists all of them", args[0], reason.Suggest(args[0])))
			}
			list = []reason.Reason{r}
		}
		switch {
		case *asJSON:
			return console.Listing{Entries: explained(list)}.Print(c.OutOrStdout(), true)
		case len(args) > 0:
			_, err := fmt.Fprint(c.OutOrStdout(), explanation(list[0], console.Columns(c.OutOrStdout())))
			return err
		}
		return listReasons(c, list)
	}
	return c
}

// explainedReason is a reason as --json prints it.
type explainedReason struct {
	Code     string `json:"code"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Sentence string `json:"sentence"`
	Cause    string `json:"cause"`
	Fix      string `json:"fix"`
}

func explained(all []reason.Reason) (list []explainedReason) {
	for _, r := range all {
		list = append(list, explainedReason{r.Code, r.Name, string(r.Kind), r.Sentence, r.Cause, r.Fix})
	}
	return list
}

func explanation(r reason.Reason, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s)\n\n", r.Code, r.Name, r.Kind)
	for _, line := range wrap.Lines(r.Sentence, width) {
		fmt.Fprintln(&b, line)
	}
	for _, part := range []struct{ head, text string }{{"Cause: ", r.Cause}, {"Fix:   ", r.Fix}} {
		b.WriteString("\n")
		lead := part.head
		for _, line := range wrap.Lines(part.text, width-len(lead)) {
			fmt.Fprintln(&b, lead+line)
			lead = strings.Repeat(" ", len(lead))
		}
	}
	return b.String()
}

func listReasons(c *cobra.Command, all []reason.Reason) error {
	list := console.Listing{Head: []string{"REASON", "MEANS", "WHAT IT SAYS"}}
	for _, r := range all {
		list.Rows = append(list.Rows, []string{r.Code, string(r.Kind), r.Sentence})
	}
	if err := list.Print(c.OutOrStdout(), false); err != nil {
		return err
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), "\n"+console.Fitted("`upflab explain REASON` has its cause and fix.", console.Columns(c.OutOrStdout())))
	return err
}
