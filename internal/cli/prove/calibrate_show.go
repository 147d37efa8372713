package prove

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/calibration"
	"github.com/upflab/upflab/internal/text/units"
)

// writeCertificates writes them as JSON, with what the fingerprint of the machine is of.
func writeCertificates(w io.Writer, f *calibration.File) error {
	type certificate struct {
		*record.Calibration
		Until  time.Time      `json:"until"`
		Traits []record.Trait `json:"traits"`
	}
	list := []certificate{}
	for _, c := range f.Calibrations() {
		list = append(list, certificate{c, c.Until(), f.Traits})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(list)
}

func showCalibration(w io.Writer, dir string, f *calibration.File) error {
	list := f.Calibrations()
	for i, c := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		showCertificate(w, c)
	}
	if len(list) > 0 {
		return nil
	}
	fmt.Fprintf(w, "not calibrated: %d of at least %d runs are known of this machine (%s); `sudo upflab calibrate` makes them\n",
		len(f.Runs), between.LeastRuns, f.Machine)
	if changed := calibration.Expired(dir, host.Facts(), time.Now()); changed != "" {
		fmt.Fprintf(w, "its last calibration has expired, since this changed: %s\n", changed)
	}
	return nil
}

func showCertificate(w io.Writer, c *record.Calibration) {
	day := func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
	ended := ""
	if time.Now().After(c.Until()) {
		ended = ": it has ended"
	}
	fmt.Fprintf(w, "Certificate %s of machine %s%s: %s of %s, valid until %s%s.\n\n", c.Certificate, c.Machine, by(c),
		between.Rests(c), c.Device, day(c.Until()), ended)
	fmt.Fprintln(w, "The machine differs from itself from run to run:")
	fmt.Fprintf(w, "  %-22s %8s   %s\n", "", "", "smallest change that counts")
	fmt.Fprintf(w, "  %-22s %10s   %12s   %12s   %s\n", "figure", "scatter", "runs of a day", "of two days", "a run and a limit")
	for _, s := range c.Scatter {
		f, _ := figure.Of(s.Figure)
		day, days := between.OfDay(c, f), between.Of(c, f)
		fmt.Fprintf(w, "  %-22s %8.2g %%   %11.3g %%   %10.3g %%   %15.3g %%\n", s.Figure, 100*s.SD, 100*math.Sqrt2*stats.Reach(day.SD, day.DF),
			100*math.Sqrt2*stats.Reach(days.SD, days.DF), 100*stats.Reach(days.SD, days.DF))
	}
	if worse := worseThanAssumed(c); len(worse) > 0 {
		fmt.Fprintf(w, "\n%s: more than is assumed of a machine that nobody calibrated. Was it busy? In quiet hours it may be\n"+
			"better: `upflab calibrate --replace` begins anew.\n", strings.Join(worse, ", "))
	}
	showLevels(w, c, "Its ceilings: what the bench carried without a UPF, median and range of the runs. A busy machine carries less", figure.PPS)
	showLevels(w, c, "Its corrections: what links and wake-ups add to each delay. Subtract what wire has in your own run", figure.Nanos)
	if slices.ContainsFunc(c.Scatter, func(s record.Scatter) bool { return s.BetweenDays == nil }) {
		fmt.Fprintf(w, "\nThe runs are of %s, and too few of one version of upflab to tell days apart: what the machine differs by from\n"+
			"day to day is not all in it. Call it again on other days.\n", units.Plural(c.Days, "day"))
	}
}

// worseThanAssumed are the figures that scatter by more than is assumed without a calibration.
func worseThanAssumed(c *record.Calibration) (list []string) {
	for _, s := range c.Scatter {
		if f, ok := figure.Of(s.Figure); ok && s.SD > between.Assumed(f) {
			list = append(list, fmt.Sprintf("%s scatters by %.2g %%", s.Figure, 100*s.SD))
		}
	}
	return list
}

// by is the bench; "" where the runs are of before it was noted.
func by(c *record.Calibration) string {
	if c.Bench == nil || *c.Bench == (record.Bench{}) {
		return ""
	}
	return ", " + c.Bench.String()
}

func showLevels(w io.Writer, c *record.Calibration, title string, unit figure.Unit) {
	for _, l := range c.Wire {
		f, _ := figure.Of(l.Figure)
		if f.Unit != unit || f.Name == "cpu_ns_per_packet" {
			continue
		}
		if title != "" {
			fmt.Fprintf(w, "\n%s:\n", title)
			title = ""
		}
		fmt.Fprintf(w, "  %-12s %-26s %s (%s to %s)\n", l.Figure, l.Place, figure.Write(l.Median, unit), figure.Write(l.Min, unit), figure.Write(l.Max, unit))
	}
}
