package read

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/modelling"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
)

// predictFlags are the flags of `upflab model predict`.
type predictFlags struct {
	modelFlags
	load, dut, direction string
}

func newModelPredict() *cobra.Command {
	f := predictFlags{modelFlags: modelFlags{loss: defaultLoss}}
	c := &cobra.Command{
		Use: "predict DIR|FILE.csv", Args: cobra.ExactArgs(1), Short: "Latency and loss at a load, or the load for a latency, in one line",
		Example: `  upflab model predict results/20261121-015423-load-latency --dut open5gs:tun --load 120k
  upflab model predict measured.csv --p99 5ms`,
		RunE: func(c *cobra.Command, args []string) error { return predict(c, args[0], f) },
	}
	f.add(c)
	c.Flags().StringVar(&f.load, "load", "", "predict at this `LOAD`, such as 150k")
	c.Flags().StringVar(&f.dut, "dut", "", "DUT of a result, `NAME[:MODE]`; default: all but wire")
	c.Flags().StringVar(&f.direction, "direction", "", "`DIRECTION`: uplink or downlink; default: both")
	return c
}

func predict(c *cobra.Command, path string, f predictFlags) error {
	target, asked := f.target(c)
	if (f.load == "") == !asked {
		return exit.WrongUsage(c, errors.New("give --load for latency and loss at a load, or --p99 or --loss for the load that keeps them"))
	}
	var pps float64
	if f.load != "" {
		load, err := scenario.ParseRate(f.load)
		if err != nil {
			return exit.WrongUsage(c, fmt.Errorf("--load: %w", err))
		}
		pps = load.PPS
	}
	say := func(name string, found modelling.Found) error {
		return answer(c.OutOrStdout(), name, found, pps, target)
	}
	if isTable(path) {
		found, err := readTable(path, f.arrivals, f.options(c))
		if err != nil {
			return err
		}
		return say("", found)
	}
	return predictResult(c.OutOrStdout(), path, f, say)
}

// predictResult answers for each DUT, direction and arrival process that is asked for. What
// has no answer says so in its line; where there is none at all, that is an error.
func predictResult(out io.Writer, path string, f predictFlags, say func(string, modelling.Found) error) error {
	r, err := modelled(path)
	if err != nil {
		return err
	}
	answers := 0
	var why []string
	for _, d := range f.duts(r) {
		for _, found := range modelling.Fit(d, modelling.Options{Models: f.models}) {
			if f.direction != "" && f.direction != string(found.Stream.Direction) {
				continue
			}
			name := dutName(d) + " " + modelling.StreamName(found.Stream) + ": "
			if found.Measured() {
				found.Err = say(name, found)
			}
			if found.Err != nil {
				why = append(why, name+found.Err.Error())
				continue
			}
			answers++
		}
	}
	switch {
	case answers == 0 && len(why) > 0:
		return fmt.Errorf("%s; upflab model fit %s lists the models and why each was rejected", strings.Join(why, "; "), path)
	case answers == 0:
		return exit.WrongConfig(fmt.Errorf("%s has no valid trial of DUT %q, direction %q", path, f.dut, f.direction))
	}
	for _, line := range why {
		fmt.Fprintln(out, line)
	}
	return nil
}

// duts are those asked for: by name, else all but references.
func (f predictFlags) duts(r *record.Result) (list []*record.DUT) {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		if f.dut == dutName(d) || f.dut == "" && !d.Reference {
			list = append(list, d)
		}
	}
	return list
}

// dutName is NAME[:MODE].
func dutName(d *record.DUT) string { return strings.TrimSuffix(d.Name+":"+d.Mode, ":") }

// answer prints one line: what happens at a load, or the load that keeps a target.
func answer(out io.Writer, name string, found modelling.Found, pps float64, target record.LoadTarget) error {
	if pps > 0 {
		if found.Err != nil {
			return found.Err
		}
		line, err := found.Line(pps)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s%s\n", name, line)
		return nil
	}
	s := found.SafeLoads([]record.LoadTarget{target})[0]
	switch {
	case s.PPS <= 0:
		return errors.New(s.Why)
	case s.AtLeast:
		fmt.Fprintf(out, "%sat least %s, the highest load measured%s\n", name, units.Rate(s.PPS), coresThere(s))
	case s.Disturbed:
		fmt.Fprintf(out, "%sat least up to %s: higher loads were disturbed%s\n", name, units.Rate(s.PPS), coresThere(s))
	case s.FewRepeats:
		fmt.Fprintf(out, "%sup to %s as measured, without a model: one load below the highest that keeps it, since there are fewer than three "+
			"repeats%s\n", name, units.Rate(s.PPS), coresThere(s))
	case s.Measured:
		fmt.Fprintf(out, "%sup to %s as measured, without a model (the truth is within %s to %s, with 95 %%)%s\n",
			name, units.Rate(s.PPS), units.Rate(s.LowPPS), units.Rate(s.HighPPS), coresThere(s))
	default:
		fmt.Fprintf(out, "%sup to %s (the lower limit of the 95 %% interval; %s is likeliest, %s its upper limit)%s\n",
			name, units.Rate(s.PPS), units.Rate(s.EstimatePPS), units.Rate(s.HighPPS), coresThere(s))
	}
	return nil
}

// coresThere is the CPU at a safe load, where it is known.
func coresThere(s record.SafeLoad) string {
	if s.CPUCores <= 0 {
		return ""
	}
	return ", at " + units.Cores(s.CPUCores) + " cores"
}
