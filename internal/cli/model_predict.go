package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/modelling"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/store"
	"github.com/upflab/upflab/internal/units"
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
	c.Flags().StringVar(&f.load, "load", "", "predict at this load, e.g. 150k")
	c.Flags().StringVar(&f.dut, "dut", "", "DUT of a result, NAME[:MODE]; default: all but wire")
	c.Flags().StringVar(&f.direction, "direction", "", "uplink or downlink; default: both")
	return c
}

func predict(c *cobra.Command, path string, f predictFlags) error {
	target, asked := f.target(c)
	if (f.load == "") == !asked {
		return usageError{c, errors.New("give --load for latency and loss at a load, or --p99 or --loss for the load that keeps them")}
	}
	var pps float64
	if f.load != "" {
		load, err := scenario.ParseRate(f.load)
		if err != nil {
			return usageError{c, fmt.Errorf("--load: %w", err)}
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
	return predictResult(path, f, say)
}

// predictResult answers for each DUT and direction that is asked for.
func predictResult(path string, f predictFlags, say func(string, modelling.Found) error) error {
	r, err := store.Load(path)
	if err != nil {
		return err
	}
	answers := 0
	for i := range r.DUTs {
		d := &r.DUTs[i]
		name := strings.TrimSuffix(d.Name+":"+d.Mode, ":")
		if f.dut != "" && f.dut != name || f.dut == "" && d.Reference {
			continue
		}
		for _, found := range modelling.Fit(d, modelling.Options{Models: f.models}) {
			if f.direction != "" && f.direction != string(found.Stream.Direction) {
				continue
			}
			if found.Err != nil {
				return fmt.Errorf("%s %s: %w", name, found.Stream.Direction, found.Err)
			}
			if err := say(name+" "+string(found.Stream.Direction)+": ", found); err != nil {
				return err
			}
			answers++
		}
	}
	if answers == 0 {
		return configError{fmt.Errorf("%s has no valid trial of DUT %q, direction %q", path, f.dut, f.direction)}
	}
	return nil
}

// answer prints one line: what happens at a load, or the load that keeps a target.
func answer(out io.Writer, name string, found modelling.Found, pps float64, target record.LoadTarget) error {
	if pps > 0 {
		line, err := found.Line(pps)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s%s\n", name, line)
		return nil
	}
	s := found.SafeLoads([]record.LoadTarget{target})[0]
	switch {
	case s.Why != "":
		return errors.New(name + s.Why)
	case s.AtLeast:
		fmt.Fprintf(out, "%sat least %s, the highest load measured\n", name, units.Rate(s.PPS))
	default:
		fmt.Fprintf(out, "%sup to %s (95 %% interval %s to %s)\n", name, units.Rate(s.PPS), units.Rate(s.LowPPS), units.Rate(s.HighPPS))
	}
	return nil
}
