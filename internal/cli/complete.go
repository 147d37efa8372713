package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/reason"
	"github.com/upflab/upflab/internal/cli/measure"
	"github.com/upflab/upflab/internal/cli/outputs"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/schema"
)

// completer gives the values that a word on the command line may become.
type completer = cobra.CompletionFunc

// flagValues are the values of flags, by the flag's name in all commands, or by the command and the flag where a
// name means something else in another command.
func flagValues() map[string]completer {
	return map[string]completer{
		"dut": duts, "against": duts, "set": settings, "case": caseIDs, "scenario": scenarios, "upflab check --threshold": thresholds,
		"metric": metrics, "pin": metrics, "upflab compare --metrics": metrics, "upflab bisect --metrics": metrics,
		"output": oneOf(outputs.Names()...),
		"site":   oneOf(measure.SiteVM, measure.SiteKubernetes), "strict": oneOf("true", "false"), "arrivals": oneOf("poisson", "constant", "bursts"),
	}
}

// argumentValues are those of arguments, by the command.
func argumentValues() map[string]completer {
	return map[string]completer{
		"upflab run": first(scenarios), "upflab explain": first(reasons), "upflab scenario show": first(scenarios),
		"upflab scenario keys": first(keyNames),
		"upflab dut doctor":    first(duts), "upflab dut config": first(duts), "upflab behaviour list": caseIDs,
		"upflab report": first(results), "upflab check": first(results), "upflab export": first(results), "upflab compare": results,
	}
}

// complete tells the shells' completion the values of flags and arguments.
func complete(c *cobra.Command) {
	all := flagValues()
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		values, here := all[c.CommandPath()+" --"+f.Name]
		if !here {
			values = all[f.Name]
		}
		if values != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, values) // it fails for a flag that has one
		}
	})
	if values := argumentValues()[c.CommandPath()]; values != nil {
		c.ValidArgsFunction = values
	}
	for _, sub := range c.Commands() {
		complete(sub)
	}
}

// oneOf completes to one of a few words.
func oneOf(words ...string) completer {
	return func(_ *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// first completes the first argument only.
func first(values completer) completer {
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return values(c, args, begun)
	}
}

func duts(_ *cobra.Command, _ []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, d := range drivers.List(tool.Facts().Version) {
		info := d.Info()
		list = append(list, cobra.CompletionWithDesc(info.Name, info.Summary))
		for _, mode := range info.Modes {
			list = append(list, cobra.CompletionWithDesc(info.Name+":"+mode, info.Summary))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// scenarios are the built-in ones, and files.
func scenarios(_ *cobra.Command, _ []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	entries, err := scenario.List()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for _, e := range entries {
		list = append(list, cobra.CompletionWithDesc(e.Name, e.Title))
	}
	return list, cobra.ShellCompDirectiveDefault
}

func keyNames(_ *cobra.Command, _ []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, k := range schema.Keys() {
		list = append(list, cobra.CompletionWithDesc(k.Path, k.Doc))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// settings are KEY=, and behind it the words that the key takes, if it takes words, and its example.
func settings(_ *cobra.Command, _ []string, begun string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	key, _, valued := strings.Cut(begun, "=")
	for _, k := range schema.Keys() {
		switch {
		case k.Section:
		case !valued:
			list = append(list, cobra.CompletionWithDesc(k.Path+"=", k.Doc))
		case k.Path == key:
			for _, v := range valuesOf(k) {
				list = append(list, k.Path+"="+v)
			}
		}
	}
	return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// valuesOf are values that a key takes: all of them where they can be listed, else its default and example.
func valuesOf(k schema.Key) (list []string) {
	if k.Words != nil {
		return k.Words
	}
	for _, v := range []string{k.Default, k.Example} {
		if v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

func reasons(_ *cobra.Command, _ []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, r := range reason.All() {
		list = append(list, cobra.CompletionWithDesc(r.Code, r.Sentence))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

func caseIDs(_ *cobra.Command, _ []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	groups := map[string]bool{}
	for _, c := range measure.AllCases() {
		if g := c.Group(); g != c.ID && !groups[g] {
			groups[g] = true
			list = append(list, cobra.CompletionWithDesc(g, "the whole group"))
		}
		list = append(list, cobra.CompletionWithDesc(c.ID, c.Title))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// thresholds begin with a figure.
func thresholds(_ *cobra.Command, _ []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, f := range figure.All() {
		list = append(list, cobra.CompletionWithDesc(f.Name, f.Doc))
	}
	return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

func metrics(_ *cobra.Command, _ []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, m := range compare.Metrics() {
		list = append(list, string(m))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// results are the runs below ./results, the newest first, and other folders.
func results(_ *cobra.Command, _ []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	paths, _ := filepath.Glob("results/*/" + store.FileName) // the pattern is right
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(b, a) })
	for _, p := range paths {
		if info, err := os.Stat(filepath.Dir(p)); err == nil && info.IsDir() {
			list = append(list, filepath.Dir(p))
		}
	}
	return list, cobra.ShellCompDirectiveDefault | cobra.ShellCompDirectiveKeepOrder
}
