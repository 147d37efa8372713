package measure

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/analysis/modelling"
	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/analysis/uncertainty"
	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/cli/outputs"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/files"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/results/calibration"
	"github.com/upflab/upflab/internal/results/rawdata"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
)

// runFlags are the flags of `upflab run`.
type runFlags struct {
	runflags.Flags
	live    bool
	quiet   bool // the terminal gets the headline, the result's path and errors
	out     string
	outputs []string // FORMAT or FORMAT=FILE
	metrics string   // HOST:PORT of /metrics; "": none
	dry     bool
	pull    bool
	buildFlags
	hosts hostsFlags
	site  string // KIND or KIND=FILE; "": this machine
}

func newRun() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run [SCENARIO]",
		Args: func(c *cobra.Command, args []string) error {
			return cmp.Or(f.strayPackets(c.Flags().Changed("pcap"), args), strayRatio(c.Flags().Changed("until-decided"), args),
				cobra.MaximumNArgs(1)(c, args))
		},
		Short: "Measure UPFs by a scenario and write a report",
		Long: `Measure UPFs by a scenario (a built-in name or a .yaml file; default: load-latency), and
write result.json, report.md and report.html.

Each run also measures wire (bare forwarding, no UPF): it shows what the bench itself costs.`,
		Example: `  upflab run
  upflab run --dut builtin:xdp --dut eupf:native
  upflab run --set loads=100k,1M,max --set directions=uplink --set sessions=1000
  upflab run --dut eupf:native --build old=./eupf-main --build new=./eupf-change --set repeats=5`,
		RunE: func(c *cobra.Command, args []string) error {
			f.Settle()
			if f.pull && !f.dry {
				f.Sets = append(f.Sets, "container.pull=true")
			}
			name := runflags.DefaultScenario
			if len(args) > 0 {
				name = args[0]
			}
			if err := f.drawSeed(name); err != nil {
				return err
			}
			if counts, err := f.counts(name); err != nil {
				return err
			} else if counts {
				f.site = SiteVM
			}
			if f.site != "" {
				return runElsewhere(c, name, f)
			}
			return run(c, name, f)
		},
	}
	c.SetHelpFunc(showRunHelp)
	f.Flags.Add(c.Flags())
	f.add(c)
	f.hosts.add(c)
	c.Flags().StringVar(&f.site, "site", "",
		"where to measure, `KIND[=FILE]`: vm, in a virtual machine that the run boots (settings vm.*), or kubernetes, in pods of a "+
			"cluster, as FILE says (kubernetes.yaml)")
	c.Flags().BoolVar(&f.live, "live", false, "show the run live in a browser, on loopback only (see upflab serve)")
	c.Flags().BoolVar(&f.quiet, "quiet", false, "print only the answers, the path of the report, and errors")
	c.Flags().StringVar(&f.out, "out", "", "`FOLDER` for the result; default: a new one below ./results")
	c.Flags().StringArrayVar(&f.outputs, "output", nil,
		"also write this: `FORMAT[=FILE]`, "+outputs.Forms()+"; may be repeated")
	c.Flags().StringVar(&f.metrics, "metrics", "", "serve /metrics for Prometheus on `HOST:PORT` while the run goes")
	c.Flags().BoolVar(&f.dry, "dry-run", false, "print the plan, the estimated time and the output files; run nothing")
	c.Flags().BoolVar(&f.pull, "pull", false, "download the image of a container: DUT that this machine lacks")
	return c
}

// strayPackets refuses a number that stands apart from --pcap, and would be taken for a scenario.
func (f runFlags) strayPackets(asked bool, args []string) error {
	if !asked || f.Packets != runflags.PacketsOfDefault {
		return nil
	}
	for _, arg := range args {
		if _, unknown := scenario.Source(arg); unknown != nil && !scenario.IsPath(arg) {
			return fmt.Errorf("there is no scenario %q; --pcap takes its number behind an equals sign, as in --pcap=20", arg)
		}
	}
	return nil
}

// strayRatio is the same for a ratio that stands apart from --until-decided.
func strayRatio(asked bool, args []string) error {
	for _, arg := range args {
		if _, err := strconv.ParseFloat(strings.TrimSuffix(arg, "%"), 64); asked && err == nil {
			return fmt.Errorf("there is no scenario %q; --until-decided takes its ratio behind an equals sign, as in --until-decided=%s", arg, arg)
		}
	}
	return nil
}

// drawSeed has each comparison that decides when it ends make its visits in another order, unless the user gives a seed.
func (f *runFlags) drawSeed(name string) error {
	if !f.Decides() {
		return nil
	}
	usual, err := scenario.Defaults()
	if err != nil {
		return err
	}
	s, err := f.open(name, ofScenario(f.Sets))
	if err != nil {
		return err
	}
	f.DrawSeed(s.Seed, usual.Seed)
	return nil
}

// open reads the scenario of a run. --case takes the place of its own cases.
func (f runFlags) open(name string, sets []string) (*scenario.Scenario, error) {
	s, err := f.opened(name, sets)
	if err != nil {
		return nil, exit.WrongConfig(err)
	}
	return s, nil
}

func (f runFlags) opened(name string, sets []string) (*scenario.Scenario, error) {
	with, err := inputs.ReadScenario(name, f.Full)
	if err != nil {
		return nil, err
	}
	s, err := with(sets)
	switch {
	case err != nil || len(f.Cases) == 0:
		return s, err
	case !s.OfCases():
		return nil, fmt.Errorf("--case is for scenarios of behaviour, attack, qos-accuracy and resilience, and %s is of kind %s", s.Name, s.Kind)
	case slices.Contains(f.Cases, ""):
		return nil, errors.New("--case is empty; give the ID of a case or of a group: see upflab behaviour list")
	}
	return with(append(slices.Clone(sets), "cases="+strings.Join(f.Cases, ",")))
}

func run(c *cobra.Command, name string, f runFlags) error {
	s, err := f.open(name, f.Sets)
	if err != nil {
		return err
	}
	return runPlan(c, &campaign.Job{Plan: plan.Plan{Scenario: s}}, f)
}

// runPlan makes a run of a scenario, and of cases if it has its own.
func runPlan(c *cobra.Command, job *campaign.Job, f runFlags) error {
	s := job.Scenario
	absent, err := f.plan(job)
	if err != nil {
		return err
	}
	missing := checkDevices(job)
	if f.dry {
		dryRun(c.OutOrStdout(), &job.Plan, f)
		return cmp.Or(absent.OrNil(), missing)
	}
	if missing != nil {
		return missing
	}
	if err := f.ready(c); err != nil {
		return err
	}
	metrics, err := listenMetrics(f.metrics)
	if err != nil {
		return err
	}
	if metrics != nil {
		defer metrics.Close() // where the run does not begin
	}
	warn(f.chatter(c), job.Targets, s)
	dir, err := outputs.RunFolder(c.ErrOrStderr(), f.out, s.Name)
	if err != nil {
		return err
	}
	if job.Dir, err = filepath.Abs(dir); err != nil { // a DUT need not run in our folder
		return fmt.Errorf("find the folder of the result: %w", err)
	}
	r, err := prepare.Result(s)
	if err != nil {
		return err
	}
	r.Registered = record.Register(r, job.Planned(), time.Now())
	raw, err := rawdata.Create(dir, r.Run, r.Registered)
	if err != nil {
		return err
	}
	defer raw.Close()
	if err := store.Save(dir, r); err != nil { // others see the run from now on
		return err
	}
	others, leave, err := f.hosts.open(c.Context(), s)
	if err != nil {
		return err
	}
	job.Calibration = calibrated
	job.Raw = raw.Add
	job.Save = func(r *record.Result) error {
		r.Raw = raw.Data()
		return store.Save(dir, r)
	}
	job.Hosts, job.Abort = others, abortOn(s)
	failed := watched(c, f.live, f.quiet, metrics, job, r)
	if err := leave(); err != nil {
		r.Notes = append(r.Notes, "not all hosts were left in order: "+err.Error())
	}
	r.Raw = raw.Data()
	study(f.chatter(c), s, r)
	r.Uncertainty = uncertainty.Budgets(r)
	r.Thresholds = threshold.CheckAll(r, s.ThresholdsOf())
	if s.OfCases() {
		if err := outputs.WriteJUnit(filepath.Join(dir, outputs.JUnitFile), r); err != nil {
			return errors.Join(failed, err)
		}
	}
	err = f.finish(c, dir, r, failed)
	return f.ended(c, dir, r, err)
}

// plan completes a plan by the targets and checks it: everything that can be refused before a run
// begins.
func (f runFlags) plan(job *campaign.Job) (prepare.AbsentError, error) {
	targets, absent, err := f.targets(job.Scenario)
	if err != nil {
		return nil, err
	}
	job.Targets, job.Packets, job.MayAttack = targets, f.Packets, f.Allowed
	if err := prepare.CheckPlan(&job.Plan); err != nil {
		return nil, err
	}
	return absent, errors.Join(prepare.CheckThresholdNames(job.Scenario, targets), outputs.Check(f.outputs), outputs.CheckFolder(f.out), checkMetrics(f.metrics))
}

// checkDevices refuses a plan that is carried out here, where this machine lacks an interface of it.
func checkDevices(job *campaign.Job) error {
	if err := job.CheckDevices(); err != nil {
		return exit.WrongConfig(err)
	}
	return nil
}

// ended writes what --output asks for, and gives the outcome of a run that has ended so.
func (f runFlags) ended(c *cobra.Command, dir string, r *record.Result, err error) error {
	if unwritten := outputs.Write(c.Context(), f.outputs, dir, r); err == nil && unwritten != nil {
		return unwritten
	}
	return cmp.Or(err, exit.OfCases(r), f.strictly(r))
}

// strictly is the outcome for those who take no trial that is not valid.
func (f runFlags) strictly(r *record.Result) error {
	if f.Strict && !r.AllValid() {
		return exit.ErrInvalid
	}
	return nil
}

// calibrated is what is known of this machine with a bench; nil: it was not calibrated.
func calibrated(h record.Host, b record.Bench) (*record.Calibration, error) {
	c, why, err := calibration.Of(calibration.Folder, h, b, time.Now())
	if why != "" {
		return nil, fmt.Errorf("%s; `sudo upflab calibrate` with the run's settings measures it again", why)
	}
	return c, err
}

// study fits models to what a stress study measured.
func study(out io.Writer, s *scenario.Scenario, r *record.Result) {
	if !s.Stress.Asked() {
		return
	}
	fmt.Fprintln(out, "fitting queueing models")
	modelling.Study(r, modelling.Options{Targets: s.Stress.LoadTargets()})
}

// warn prints the known defects of the targets before the run.
func warn(out io.Writer, targets []dut.Target, s *scenario.Scenario) {
	for _, t := range targets {
		for _, line := range plan.KnownDefects(t, s) {
			fmt.Fprintf(out, "%s: %s\n", t.Label(), line)
		}
	}
}

func (f runFlags) ready(c *cobra.Command) error {
	if f.quiet {
		return prepare.MachineInBrief(c.ErrOrStderr())
	}
	return prepare.Machine(c.ErrOrStderr())
}

// chatter is where a run says how it goes.
func (f runFlags) chatter(c *cobra.Command) io.Writer {
	if f.quiet {
		return io.Discard
	}
	return c.ErrOrStderr()
}

// finish writes and shows what was measured, also when the run was cut short.
func (f runFlags) finish(c *cobra.Command, dir string, r *record.Result, failed error) error {
	r.Finished = time.Now()
	var left campaign.LeftError
	isLeft := errors.As(failed, &left) // what is left on the machine hides no cause, which comes last
	interrupted := exit.Interrupted(failed)
	if errors.Is(failed, errAborted) {
		failed = nil
		r.Notes = append(r.Notes, errAborted.Error()+": what follows was measured before")
	}
	if interrupted {
		failed = nil
		r.Notes = append(r.Notes, "interrupted"+exit.BySignal(c.Context())+": what follows was measured before")
	}
	saved := store.Save(dir, r)
	if failed != nil && len(r.DUTs) == 0 {
		return failed // before anything was tried: there is nothing to show
	}
	d, err := sections.Report(r, sections.Options{})
	if err != nil {
		return err
	}
	if saved == nil {
		saved = files.Write(dir, d)
	}
	shown := d
	if f.quiet {
		shown = sections.Headline(r)
	}
	if err := console.Document(c.OutOrStdout(), shown); err != nil {
		return err
	}
	if saved == nil {
		fmt.Fprintf(c.OutOrStdout(), "\nreport: %s/report.html\n", dir)
	}
	if isLeft {
		if failed == nil {
			failed = left
		}
		return errors.Join(failed, saved, exit.OfRun(r, dir, interrupted))
	}
	if failed != nil {
		return failed // saved failed of the same, if it did
	}
	if saved != nil {
		return saved
	}
	return exit.OfRun(r, dir, interrupted)
}
