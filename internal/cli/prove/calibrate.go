package prove

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/calibration"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/scratch"
	"github.com/upflab/upflab/internal/text/units"
)

type calibrateFlags struct {
	runs     int
	replace  bool
	show     bool
	json     bool
	dut, dir string
	set      []string
}

func newCalibrate() *cobra.Command {
	f := calibrateFlags{runs: 8, dut: "builtin"}
	c := &cobra.Command{
		Use: "calibrate", Short: "Measure how much this machine differs from itself from run to run", Args: cobra.NoArgs,
		Long: `Run an unchanged UPF several times and keep how much its figures differ from run to run.
A shared machine is 2 to 8 % faster or slower from run to run, and from day to day, which
repeats within one run do not show. Thresholds, and comparisons of two runs, contain it:
without a calibration 8 % are assumed of rates, and 25 % of delays.

Call it again on other days: the runs are added to those that the machine has, below
` + calibration.Folder + `. Another kernel, processor or mitigation makes another machine,
and another engine or driver of the links another bench. What is known is a certificate with
a number, which each report cites. It counts for 90 days after its last run.
A run during which another upflab run was under way does not count.
docs/compare.md explains what follows.`,
		Example: `  sudo upflab calibrate             # 8 runs, about 4 minutes
  sudo upflab calibrate --runs 3    # again, on another day
  sudo upflab calibrate --set engine=af_packet     # for runs by packet sockets
  upflab calibrate --show           # what is known, and the smallest changes that count`,
		RunE: func(c *cobra.Command, _ []string) error { return calibrate(c, f) },
	}
	c.Flags().IntVar(&f.runs, "runs", f.runs, "make `N` runs, 1 to 100")
	c.Flags().BoolVar(&f.show, "show", false, "measure nothing, and show what is known")
	c.Flags().BoolVar(&f.replace, "replace", false, "forget the earlier runs")
	c.Flags().StringVar(&f.dut, "dut", f.dut, "the `UPF` to run: NAME[:MODE], one that does not change")
	c.Flags().BoolVar(&f.json, "json", false, "with --show: the certificates as JSON")
	c.Flags().StringArrayVar(&f.set, "set", nil, "`KEY=VALUE`: set a scenario's key in the runs, such as link=physical")
	c.Flags().StringVar(&f.dir, "dir", calibration.Folder, "`FOLDER` of the machine's file")
	return c
}

func calibrate(c *cobra.Command, f calibrateFlags) (err error) {
	file, err := calibration.Load(f.dir, host.Facts(), time.Now())
	if err != nil {
		return err
	}
	switch {
	case f.json && !f.show:
		return exit.WrongUsage(c, errors.New("--json: give --show with it, which prints what is known"))
	case f.show:
		for _, flag := range []string{"runs", "dut", "set", "replace"} {
			if c.Flags().Changed(flag) {
				return exit.WrongUsage(c, fmt.Errorf("--%s: --show measures nothing; leave one of them out", flag))
			}
		}
	}
	switch {
	case f.json:
		return writeCertificates(c.OutOrStdout(), file)
	case f.show:
		return showCalibration(c.OutOrStdout(), f.dir, file)
	}
	if err := f.check(c); err != nil {
		return err
	}
	if err := prepare.Machine(c.ErrOrStderr()); err != nil {
		return err
	}
	lock, err := calibration.Lock(f.dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	if file, err = calibration.Load(f.dir, host.Facts(), time.Now()); err != nil { // another calibration may have ended meanwhile
		return err
	}
	runs, err := scratch.New("calibrate")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runs.Close()) }()
	counted := 0
	for i := range f.runs {
		r, err := placebo(c, f, filepath.Join(runs.Path, strconv.Itoa(i)))
		if err != nil {
			return fmt.Errorf("run %d of %d: %w", i+1, f.runs, err)
		}
		if len(r.Neighbours) > 0 {
			n := r.Neighbours[0]
			fmt.Fprintf(c.ErrOrStderr(), "[%d/%d] another upflab run (%s, process %d) was under way: the two disturb each other, and it does not count\n",
				i+1, f.runs, n.Run, n.PID)
			continue
		}
		device, read := deviceOf(r), between.Read(r)
		if len(read.Readings) == 0 {
			fmt.Fprintf(c.ErrOrStderr(), "[%d/%d] disturbed: no trial of it is valid, and it does not count\n", i+1, f.runs)
			continue
		}
		if len(file.Runs) > 0 && counted == 0 {
			switch {
			case f.replace:
				fmt.Fprintf(c.ErrOrStderr(), "%s of %s are forgotten\n", units.Plural(len(file.Runs), "run"), file.Device)
				file.Runs = nil
			case file.Device != device:
				return exit.WrongConfig(fmt.Errorf("this machine was calibrated by %s of %s, and this run is of %s: give --dut %s, or --replace "+
					"to forget those runs", units.Plural(len(file.Runs), "run"), file.Device, device, file.Device))

			}
		}
		counted++
		file.Add(device, read)
		if err := file.Save(f.dir); err != nil { // each: an interrupted calibration keeps what it has
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "[%d/%d] %s\n", i+1, f.runs, placeboWords(read))
	}
	if counted == 0 {
		return fmt.Errorf("none of %s counts: this machine is too busy to be calibrated now: %w", units.Plural(f.runs, "run"), exit.ErrInvalid)
	}
	return showCalibration(c.OutOrStdout(), f.dir, file)
}

// check refuses what no run of a calibration can have, before the first.
func (f *calibrateFlags) check(c *cobra.Command) error {
	if f.runs < 1 || f.runs > 100 {
		return exit.WrongUsage(c, fmt.Errorf("--runs %d: give a number from 1 to 100", f.runs))
	}
	for _, set := range f.set {
		key, _, _ := strings.Cut(set, "=")
		top, _, _ := strings.Cut(key, ".")
		if !slices.Contains([]string{"engine", "link", "n3", "n4", "n6", "cpu", "queues", "gro", "trex"}, top) {
			return exit.WrongUsage(c, fmt.Errorf("--set %s: a calibration is of the bench: give engine, link, n3, n4, n6, cpu, queues or gro", key))
		}
	}
	s, err := inputs.OpenScenario("quick", f.settings(), false)
	if err != nil {
		return exit.WrongConfig(err)
	}
	return measurable([]string{f.dut}, s)
}

// measurable refuses UPFs that nobody knows, that are given twice, or that are not to be measured by a run of their
// own: wire is in each, and an external UPF is not this machine's.
func measurable(duts []string, s *scenario.Scenario) error {
	for _, name := range duts {
		if kind, _, _ := strings.Cut(name, ":"); kind == "wire" || kind == "external" {
			return exit.WrongConfig(fmt.Errorf("--dut %s is no UPF that this runs: give one that upflab starts, such as builtin", name))
		}
	}
	if _, _, err := drivers.Planned(duts, s, tool.Facts().Version); err != nil {
		return exit.WrongConfig(err)
	}
	return nil
}

// settings are those of each run: the rate of an unpaced load, and delays at a low one.
func (f *calibrateFlags) settings() []string {
	return append([]string{"loads=20k,max", "duration=1s", "latency.duration=1s"}, f.set...)
}

// placebo is one run of the device that does not change.
func placebo(c *cobra.Command, f calibrateFlags, dir string) (*record.Result, error) {
	args := []string{"quick", "--dut", f.dut}
	for _, set := range f.settings() {
		args = append(args, "--set", set)
	}
	return runApart(c, dir, args...)
}

func deviceOf(r *record.Result) string {
	for i := range r.DUTs {
		if !r.DUTs[i].Reference {
			return r.DUTs[i].Label()
		}
	}
	return ""
}

// placeboWords is the rate of a run, or else what it has.
func placeboWords(r between.Run) string {
	for _, v := range r.Readings {
		if v.Figure == "rx_pps" {
			return v.Place + " " + figure.Write(v.Value, figure.PPS)
		}
	}
	return units.Plural(len(r.Readings), "figure")
}
