package prove

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/roundrobin"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/printable"
	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/text/units"
)

func newRoundRobin() *cobra.Command {
	c := &cobra.Command{
		Use: "roundrobin", Short: "Compare laboratories: how far results of one UPF lie apart (ISO 5725-2)",
		Long: `Find how far results of one UPF lie apart in one laboratory (repeatability) and between
laboratories (reproducibility), as ISO 5725-2 describes it. You pack a protocol, each laboratory
carries it out and sends its folder back, and the report reads all of them.`,
		Example: `  upflab roundrobin pack protocol --scenario quick --dut builtin:xdp --runs 5
  sudo upflab roundrobin run protocol --lab berlin --out berlin
  upflab roundrobin report berlin tokyo lima`,
		Args: cobra.NoArgs,
	}
	c.AddCommand(newRoundRobinPack(), newRoundRobinRun(), newRoundRobinReport())
	return c
}

func newRoundRobinPack() *cobra.Command {
	var sets, duts []string
	name, runs := runflags.DefaultScenario, 5
	c := &cobra.Command{
		Use: "pack FOLDER", Args: cobra.ExactArgs(1), Short: "Write what each laboratory does into a folder",
		Long: `Write a protocol into a new folder: the scenario with every setting, the UPFs, how many runs,
and a page for the laboratories. Send the folder to each of them.`,
		Example: `  upflab roundrobin pack protocol --scenario quick --dut builtin:xdp --dut eupf:native --runs 5`,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := inputs.OpenScenario(name, sets, false)
			if err != nil {
				return exit.WrongConfig(err)
			}
			if runs > roundrobin.MostRuns {
				return exit.WrongUsage(c, fmt.Errorf("--runs %d: give a number from 2 to %d", runs, roundrobin.MostRuns))
			}
			if s.OfCases() || len(s.Flows) > 0 {
				return exit.WrongConfig(fmt.Errorf("%s has no rates and delays that scatter: give a scenario of load", s.Name))
			}
			if err := measurable(duts, s); err != nil {
				return err
			}
			text, err := scenario.Effective(s)
			if err != nil {
				return err
			}
			p := roundrobin.Protocol{Made: time.Now().UTC(), Upflab: tool.Facts().Version, DUTs: duts, Runs: runs}
			if err := roundrobin.Pack(args[0], p, []byte(text)); err != nil {
				return exit.WrongConfig(err)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %s of %s; send the folder to each laboratory\n", args[0], units.Plural(runs, "run"), s.Name)
			return nil
		},
	}
	c.Flags().StringVar(&name, "scenario", name, "`SCENARIO`: a name of upflab scenario list, or a file")
	c.Flags().StringArrayVar(&sets, "set", nil, "change a setting of the scenario, `KEY=VALUE`; may be repeated")
	c.Flags().StringArrayVar(&duts, "dut", []string{"builtin"}, "DUT to measure, `NAME[:MODE]`; may be repeated")
	runflags.Whole(c.Flags(), &runs, "runs", runs, 2, "each laboratory makes `N` runs")
	return c
}

func newRoundRobinRun() *cobra.Command {
	var lab, out string
	c := &cobra.Command{
		Use: "run PROTOCOL [-- ARGUMENT...]", Args: cobra.MinimumNArgs(1), Short: "Carry a protocol out in this laboratory",
		Long: `Make the runs of a protocol one after another, each in a new process. What is behind -- goes to
upflab run: settings of links, CPUs and addresses of your laboratory. Call it again with the same
folder to go on after an interruption.`,
		Example: `  sudo upflab roundrobin run protocol --lab berlin --out berlin
  sudo upflab roundrobin run protocol --lab berlin --out berlin -- --set cpu.dut=3`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() != 1 && len(args) > 1 {
				return exit.WrongUsage(c, fmt.Errorf("%q: give one protocol, and arguments of upflab run behind --", args[1]))
			}
			if lab == "" {
				return exit.WrongUsage(c, errors.New("--lab is missing: name this laboratory"))
			}
			if err := roundrobin.CheckName(lab); err != nil {
				return exit.WrongUsage(c, fmt.Errorf("--lab: %w", err))
			}
			if out == "" {
				return exit.WrongUsage(c, errors.New("--out is missing: name the folder for this laboratory's runs"))
			}
			return carryOut(c, args[0], lab, out, args[1:])
		},
	}
	c.Flags().StringVar(&lab, "lab", "", "`NAME` of this laboratory")
	c.Flags().StringVar(&out, "out", "", "`FOLDER` for its runs")
	return c
}

// carryOut makes the runs of a protocol that the laboratory's folder does not have yet.
func carryOut(c *cobra.Command, protocol, lab, out string, more []string) error {
	if err := ofLaboratory(more); err != nil {
		return exit.WrongConfig(err)
	}
	p, path, err := roundrobin.Load(protocol)
	if err != nil {
		return exit.WrongConfig(err)
	}
	l, err := roundrobin.LoadLab(out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if list, err := os.ReadDir(out); err == nil && len(list) > 0 {
			return exit.WrongConfig(fmt.Errorf("%s has other files: give a new folder, or that of an earlier call", out))
		}
		l = roundrobin.Lab{Name: lab, Protocol: p.ID(), Machine: host.Facts().Fingerprint(), Upflab: tool.Facts().Version, Began: time.Now().UTC()}
	case err != nil:
		return exit.WrongConfig(err)
	case l.Name != lab || l.Protocol != p.ID():
		return exit.WrongConfig(fmt.Errorf("%s is of laboratory %s and protocol %s, and this is %s and %s: give a new folder", out, l.Name, printable.Line(l.Protocol), lab, p.ID()))
	}
	if err := safefile.MakeFolder(out, 0o755); err != nil {
		return err
	}
	if err := l.Save(out); err != nil { // the folder is this laboratory's from now on
		return err
	}
	if l.Upflab != tool.Facts().Version {
		return exit.WrongConfig(fmt.Errorf("%s has runs by upflab %s, and this is %s: give a new folder, so that all runs are by one", out,
			printable.Line(l.Upflab), tool.Facts().Version))

	}
	if p.Upflab != l.Upflab {
		fmt.Fprintf(c.ErrOrStderr(), "the protocol was made by upflab %s, and this is %s: figures may be computed otherwise\n", printable.Line(p.Upflab), l.Upflab)
	}
	args := []string{path}
	for _, d := range p.DUTs {
		args = append(args, "--dut", d)
	}
	args = append(args, more...)
	for tried := 0; len(l.Runs) < p.Runs; tried++ {
		if tried == 2*p.Runs {
			return fmt.Errorf("%d of %d runs have a valid trial: %w; this machine is too busy for the protocol", len(l.Runs), tried, exit.ErrInvalid)
		}
		name := time.Now().UTC().Format("20060102-150405")
		r, err := runApart(c, filepath.Join(out, name), args...)
		if err != nil {
			return fmt.Errorf("run %d of %d: %w", len(l.Runs)+1, p.Runs, err)
		}
		if !measured(r) {
			fmt.Fprintf(c.ErrOrStderr(), "[%d/%d] no trial of a UPF is valid: it is repeated\n", len(l.Runs)+1, p.Runs)
			continue
		}
		if machine := r.Host.Fingerprint(); len(l.Runs) == 0 {
			l.Machine = machine
		} else if machine != l.Machine {
			return fmt.Errorf("run %d of %d was made on another machine than those in %s, or its kernel or settings changed: give a new folder",
				len(l.Runs)+1, p.Runs, out)
		}
		l.Runs = append(l.Runs, name)
		if err := l.Save(out); err != nil { // each: an interrupted laboratory keeps what it has
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "[%d/%d] %s\n", len(l.Runs), p.Runs, filepath.Join(out, name))
	}
	fmt.Fprintf(c.OutOrStdout(), "laboratory %s is done: send the folder %s back\n", lab, out)
	return nil
}

// ofLaboratory refuses arguments of upflab run that change what is measured, and not where.
func ofLaboratory(arguments []string) error {
	for i := 0; i < len(arguments); i++ {
		flag, value, joined := strings.Cut(arguments[i], "=")
		switch flag {
		case "--quiet", "--pull", "--strict", "--live":
			continue
		case "--set", "--site", "--output", "--metrics", "--pass":
		default:
			return fmt.Errorf("%s is not for laboratories: behind -- give --set of your links, CPUs and addresses, or --site", arguments[i])
		}
		if !joined {
			if i++; i == len(arguments) {
				return fmt.Errorf("%s has no value: give it one", flag)
			}
			value = arguments[i]
		}
		if key, _, _ := strings.Cut(value, "="); flag == "--set" && !roundrobin.IsOwn(key) {
			return fmt.Errorf("%s is part of the protocol: a laboratory sets %s", key, strings.Join(roundrobin.Own(), ", "))
		}
	}
	return nil
}

// measured reports whether a UPF has a trial, a search or a count that is valid.
func measured(r *record.Result) bool {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		for j := range d.Trials {
			if !d.Reference && d.Trials[j].Valid {
				return true
			}
		}
		for j := range d.Searches {
			if d.Searches[j].Found() {
				return true
			}
		}
		for j := range d.Instructions {
			if !d.Reference && d.Instructions[j].Valid {
				return true
			}
		}
	}
	return false
}

func newRoundRobinReport() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "report LAB LAB...", Args: cobra.MinimumNArgs(2), Short: "Repeatability and reproducibility of the laboratories' results",
		Long: `Read the folders of laboratories. The report has the general mean of each figure and two limits.
Two results of one laboratory differ by more than r (repeatability) in 5 %. Those of two
laboratories differ by more than R (reproducibility) in 5 %.

It says how wrong each limit may be. It names laboratories whose scatter (Cochran's test) or mean
(Grubbs' test) is far from the others': outliers at 1 %, stragglers at 5 %. They are part of the
figures. Find the reason, and leave their folder out if it is no fault of the method.`,
		Example: `  upflab roundrobin report berlin tokyo lima`,
		RunE: func(c *cobra.Command, args []string) error {
			rep, err := roundrobin.Read(args)
			if err != nil {
				return exit.WrongConfig(err)
			}
			if asJSON {
				e := json.NewEncoder(c.OutOrStdout())
				e.SetIndent("", " ")
				return e.Encode(rep)
			}
			showRoundRobin(c.OutOrStdout(), rep)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON, with h and k of each laboratory")
	return c
}

func showRoundRobin(w io.Writer, rep *roundrobin.Report) {
	fmt.Fprintf(w, "Round robin of %d laboratories, protocol %s\n\n", len(rep.Labs), printable.Line(rep.Protocol))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "UPF\tfigure\tplace\tlabs\tmean\tr\tR\tr, R of the mean\t")
	for _, row := range rep.Rows {
		p := row.Of
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%.3g %% ± %.0f %%, %.3g %% ± %.0f %%\t\n", printable.Line(row.DUT), row.Figure, printable.Line(row.Place), p.Labs,
			figure.Write(p.Mean, row.Unit), figure.Write(p.Repeatability, row.Unit), figure.Write(p.Reproducibility, row.Unit),
			100*p.Repeatability/p.Mean, 100*p.SRWithin, 100*p.Reproducibility/p.Mean, 100*p.SBigRWithin)
	}
	table.Flush()
	fmt.Fprintln(w, "\nTwo results of one laboratory differ by more than r in 5 %, those of two laboratories by more than R. ± is how wrong the\n"+
		"figure before it may be, as a part of that figure, with 95 %: more laboratories make it smaller.")
	for _, row := range rep.Rows {
		for _, f := range row.Of.Findings {
			what := map[string]string{"Cochran": "scatters more than the others", "Grubbs": "has another mean"}[f.Test]
			kind := map[bool]string{true: "outlier", false: "straggler"}[f.Level == 0.01]
			fmt.Fprintf(w, "%s of %s, %s: laboratory %s %s (%s's test %.3g, limit %.3g at %.0f %%: %s)\n", row.Figure, printable.Line(row.DUT), printable.Line(row.Place), f.Lab, what,
				f.Test, f.Value, f.Limit, 100*f.Level, kind)
		}
	}
	if tests, found := rep.Tests(); found > 0 {
		fmt.Fprintf(w, "note: %s were made, each at 5 %%: where no laboratory differs, about %.2g of them say so by chance\n",
			units.Plural(tests, "test"), 0.05*float64(tests))
	}
	for _, d := range rep.Doubts {
		fmt.Fprintln(w, "note:", printable.Line(d))
	}
}
