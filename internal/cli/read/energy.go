package read

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/energy"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/meter"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/printable"
	"github.com/upflab/upflab/internal/text/units"
)

type energyFlags struct {
	meter string
	ahead time.Duration
	json  bool
}

func newEnergy() *cobra.Command {
	var f energyFlags
	c := &cobra.Command{
		Use: "energy DIR", Args: cobra.ExactArgs(1), Short: "What a packet costs in energy over load, by RAPL or a power meter",
		Long: `Print power, energy for each packet and energy for each Gbit over the loads of a run. From three
loads on it fits a line: the power without traffic, and what a further packet costs.

Without --meter it is the energy that the processors count themselves (RAPL), the generator's
share included; virtual machines have no such counters. With --meter it is that of a power
meter: a CSV file with a first line "time,watts" or "time,joules". Times are RFC 3339, or
seconds since 1970. A trial needs three readings: use --set duration=10s with a meter that
reads once a second.

Exit status: 3 when no trial has an energy; 2 when the meter's file cannot be read; else 0.`,
		Example: `  upflab energy results/last
  upflab energy results/last --meter socket.csv
  upflab energy results/last --meter socket.csv --ahead 1.5s    # its clock is that far ahead`,
		RunE: func(c *cobra.Command, args []string) error { return showEnergy(c, args[0], f) },
	}
	c.Flags().StringVar(&f.meter, "meter", "", "CSV `FILE` of a power meter")
	c.Flags().DurationVar(&f.ahead, "ahead", 0, "the meter's clock is this far ahead of the run's, `TIME`; below 0: behind")
	c.Flags().BoolVar(&f.json, "json", false, "print it as JSON")
	return c
}

func showEnergy(c *cobra.Command, dir string, f energyFlags) error {
	r, err := store.Load(dir)
	if err != nil {
		return exit.WrongConfig(err)
	}
	of := energy.Source(nil)
	if f.meter != "" {
		log, err := meter.Read(f.meter)
		if err != nil {
			return exit.WrongConfig(err)
		}
		of = func(from, to time.Time) (float64, bool) { return log.Joules(from.Add(f.ahead), to.Add(f.ahead)) }
	}
	rep := energy.Of(r, of)
	if f.json {
		e := json.NewEncoder(c.OutOrStdout())
		e.SetIndent("", " ")
		if err := e.Encode(rep); err != nil {
			return err
		}
	}
	switch {
	case len(rep.Rows) == 0:
		if !f.json {
			fmt.Fprintln(c.OutOrStdout(), "No load has a known energy.")
		}
		return exit.Inconclusive(errors.New("energy is not known: " + energyUnknown(r, of != nil)))
	case !f.json:
		writeEnergy(c.OutOrStdout(), rep, of != nil)
	}
	return nil
}

// energyUnknown says why no trial has an energy.
func energyUnknown(r *record.Result, metered bool) string {
	if metered {
		return fmt.Sprintf("no valid trial from %s to %s has %d readings of the meter", r.Started.UTC().Format(time.RFC3339),
			r.Finished.UTC().Format(time.RFC3339), meter.LeastReadings)
	}
	return "the machine of the run did not show what its processors took (RAPL); give a power meter's file by --meter"
}

func writeEnergy(w io.Writer, rep energy.Report, metered bool) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "UPF\twhat\tdirection\tload\tsize\ttrials\tRx\tpower\tenergy\t\t")
	for _, row := range rep.Rows {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%.4g W\t%s/packet\t%.4g J/Gbit\t\n", printable.Line(row.DUT), printable.Line(string(row.Kind)),
			printable.Line(string(row.Direction)), printable.Line(row.Load), printable.Line(row.Size),
			row.Trials, units.Rate(row.RxPPS), row.Watts, joules(row.PerPacket), row.PerGbit)
	}
	table.Flush()
	fmt.Fprintln(w)
	for _, l := range rep.Lines {
		fmt.Fprintf(w, "%s, %s, %s: %.4g W without traffic, and %s for each further packet (%s to %s, 95 %%), by %d loads\n", printable.Line(l.DUT),
			printable.Line(string(l.Direction)), printable.Line(l.Size),
			l.BaseWatts, joules(l.Packet), joules(l.Low), joules(l.High), l.Loads)
	}
	if metered {
		fmt.Fprintln(w, "Power is that of everything behind the meter, the generator included.")
	} else {
		fmt.Fprintln(w, "Power is that of all processors by their own counters (RAPL), the generator's included.")
	}
	without := rep.Without
	for _, row := range rep.Rows {
		without += row.Without
	}
	if without > 0 {
		fmt.Fprintf(w, "Energy is unknown for %s.\n", units.Plural(without, "valid trial"))
	}
}

// joules writes an energy in micro- or millijoules.
func joules(j float64) string {
	if max(j, -j) >= 1e-3 {
		return fmt.Sprintf("%.3g mJ", 1e3*j)
	}
	return fmt.Sprintf("%.3g µJ", 1e6*j)
}
