package read

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/modelling"
	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/analysis/queueing/points"
	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/text/units"
)

func newModel() *cobra.Command {
	c := &cobra.Command{
		Use: "model", Short: "Fit queueing models to a result or a CSV, and predict latency and loss",
		Long: `Fit queueing models to latency and loss over load, and predict from them. They need trials at
four loads or more, from a result or from a CSV with a header such as
load_kpps,mean_us,p99_us,loss_percent.`,
	}
	c.AddCommand(newModelFit(), newModelPredict())
	return c
}

// modelFlags are what fit and predict share.
type modelFlags struct {
	arrivals string
	models   []string
	p99      time.Duration
	loss     flags.Ratio
}

func (f *modelFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.arrivals, "arrivals", "", "`PROCESS` of a CSV's arrivals: poisson, constant or bursts; a result knows its own")
	c.Flags().StringSliceVar(&f.models, "models", nil, "fit only `MODEL,MODEL...`: "+strings.Join(queueing.Names(), ", "))
	c.Flags().DurationVar(&f.p99, "p99", 0, "the safe load keeps the 99th percentile of latency below this `TIME`, such as 5ms")
	c.PreRunE = func(*cobra.Command, []string) error {
		if c.Flags().Changed("p99") && f.p99 <= 0 {
			return exit.WrongUsage(c, fmt.Errorf("--p99 %s: give a time above 0", f.p99))
		}
		return nil
	}
	c.Flags().Var(&f.loss, "loss", "the safe load keeps the frame loss ratio below this `RATIO`, such as 0.1%")
}

// target is what the flags ask of a safe load; ok is false when they ask nothing.
func (f *modelFlags) target(c *cobra.Command) (t record.LoadTarget, ok bool) {
	t = record.LoadTarget{P99NS: float64(f.p99), LossRatio: float64(f.loss)}
	return t, f.p99 > 0 || c.Flags().Changed("loss")
}

func (f *modelFlags) options(c *cobra.Command) modelling.Options {
	o := modelling.Options{Models: f.models}
	if t, ok := f.target(c); ok {
		o.Targets = []record.LoadTarget{t}
	}
	return o
}

// defaultLoss is the loss of a safe load when no target is given.
const defaultLoss = 0.001

func newModelFit() *cobra.Command {
	f := modelFlags{loss: defaultLoss}
	c := &cobra.Command{
		Use: "fit DIR|FILE.csv", Args: cobra.ExactArgs(1), Short: "Fit models and write them into the result",
		Long: `Fit queueing models to each direction of each DUT, choose the best that fits, and give
the safe load. Of a result, models and safe loads are written into result.json, and
the reports are made again.`,
		Example: `  upflab model fit results/20261121-015423-load-latency --p99 200us
  upflab model fit measured.csv --arrivals poisson --loss 0.1%`,
		RunE: func(c *cobra.Command, args []string) error {
			o := f.options(c)
			if isTable(args[0]) {
				o.Targets = targetsOr(o.Targets, nil)
				return fitTable(c.OutOrStdout(), args[0], f.arrivals, o)
			}
			return fitResult(c.OutOrStdout(), args[0], o)
		},
	}
	f.add(c)
	return c
}

func isTable(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// mostTable is more than the lines have that a table may have, bytes.
const mostTable = 64 << 20

// readTable fits models to a CSV.
func readTable(path, arrivals string, o modelling.Options) (modelling.Found, error) {
	table, err := safefile.Read(path, mostTable)
	if err != nil {
		return modelling.Found{}, exit.WrongConfig(fmt.Errorf("reading a table of loads: %w", err))
	}
	list, err := points.Read(bytes.NewReader(table))
	if err != nil {
		return modelling.Found{}, exit.WrongConfig(fmt.Errorf("%s: %w", path, err))
	}
	switch a := queueing.Arrival(arrivals); a {
	case queueing.Unknown, queueing.Poisson, queueing.Constant, queueing.Bursts:
		found := modelling.FitPoints(list, a, 0, o)
		if !found.Measured() {
			return found, fmt.Errorf("%s: %w", path, found.Err)
		}
		return found, nil
	}
	return modelling.Found{}, exit.WrongConfig(fmt.Errorf("--arrivals %q: it is poisson, constant or bursts", arrivals))
}

func fitTable(out io.Writer, path, arrivals string, o modelling.Options) error {
	found, err := readTable(path, arrivals, o)
	if err != nil {
		return err
	}
	if found.Err != nil {
		fmt.Fprintln(out, "no model:", found.Err)
	}
	return console.Document(out, sections.Models(filepath.Base(path), found.Models(), found.SafeLoads(o.Targets)))
}

// fitResult fits the DUTs of a result but references, which are no UPF. A stream without
// a fit is named; an error comes when there is none at all.
func fitResult(out io.Writer, dir string, o modelling.Options) error {
	r, err := modelled(dir)
	if err != nil {
		return err
	}
	var why []string
	fitted, asked := false, o.Targets
	for i := range r.DUTs {
		d := &r.DUTs[i]
		if d.Reference {
			continue
		}
		o.Targets = targetsOr(asked, d)
		for _, f := range modelling.Fit(d, o) {
			if fitted = fitted || f.Err == nil; f.Err != nil {
				why = append(why, fmt.Sprintf("%s %s, size %s: %v", dutName(d), modelling.StreamName(f.Stream), f.Stream.Size, f.Err))
			}
		}
	}
	if !fitted {
		return fmt.Errorf("no model was fitted (%s): measure at four loads or more, e.g. --set loads=50k,100k,200k,400k --set arrivals=poisson",
			units.OrElse(strings.Join(why, "; "), "no valid trial of a UPF"))
	}
	for _, w := range why {
		fmt.Fprintln(out, "not fitted:", w)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	if err := store.Save(dir, r); err != nil {
		return err
	}
	return renderAgain(out, dir, false)
}

// modelled reads a result; of a file that is none it says how a table is told from one.
func modelled(path string) (*record.Result, error) {
	r, err := inputs.LoadResult(path)
	if ext := filepath.Ext(path); err != nil && ext != "" && ext != ".json" {
		err = fmt.Errorf("%w; a table of measurements has a name that ends in .csv", err)
	}
	return r, err
}

// targetsOr are the targets asked for, else those that the DUT's safe loads have, else
// the default.
func targetsOr(asked []record.LoadTarget, d *record.DUT) []record.LoadTarget {
	if len(asked) > 0 {
		return asked
	}
	var list []record.LoadTarget
	if d != nil {
		for _, s := range d.SafeLoads {
			if !slices.Contains(list, s.Target) {
				list = append(list, s.Target)
			}
		}
	}
	if len(list) == 0 {
		return []record.LoadTarget{{LossRatio: defaultLoss}}
	}
	return list
}
