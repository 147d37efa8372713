package selftest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/consistency"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Test carries the battery out.
type Test struct {
	// Quick shortens trials to a second and leaves searches out.
	Quick bool
	Dir   string // where each experiment's results go, in folders by its name
	// Targets turns names as a user gives them into targets.
	Targets func(names []string, s *scenario.Scenario) ([]dut.Target, error)
	// Begin starts a result.
	Begin func(*scenario.Scenario) (*record.Result, error)
	Say   func(what string) // progress
	// Only restricts to the experiment of that name, if it is not "".
	Only string
	// Engine is the scenarios' engine; "": the default.
	Engine string
}

// tries is how often an experiment is made at most when its times, which a busy
// machine disturbs, are not right. Wrong counts are not made up for.
const tries = 3

// settle is how long after its last packet a trial waits for those that are late:
// longer than any experiment holds one.
const settle = 300 * time.Millisecond

// Names lists the experiments.
func Names() []string {
	var names []string
	for _, x := range battery(true) {
		names = append(names, x.name)
	}
	return names
}

// Run makes every experiment. The rows are those that were compared so far, also
// when there is an error; skipped says what was left out, and why.
func (t *Test) Run(ctx context.Context) (rows []Row, skipped []string, err error) {
	for _, x := range battery(t.Quick) {
		if t.Only != "" && t.Only != x.name {
			continue
		}
		if why := t.leaveOut(x); why != "" {
			skipped = append(skipped, x.name+": "+why)
			continue
		}
		more, err := t.repeat(ctx, x)
		rows = append(rows, more...)
		if err != nil {
			return rows, skipped, fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return rows, skipped, nil
}

func (t *Test) leaveOut(x experiment) string {
	switch {
	case x.full && t.Quick && t.Only == "":
		return "takes minutes; not in the quick battery"
	case runtime.NumCPU() < x.cores:
		return fmt.Sprintf("needs %d CPUs", x.cores)
	}
	return ""
}

// repeat makes an experiment, and again for the devices that are not right, until they
// are or it was often enough.
func (t *Test) repeat(ctx context.Context, x experiment) (rows []Row, err error) {
	for try := 1; try <= tries; try++ {
		made, err := t.once(ctx, x)
		for i := range made {
			made[i].Experiment, made[i].Try = x.name, try
		}
		rows = replaced(rows, made)
		if err != nil || Passed(rows) || wrongCounts(rows) {
			return rows, err
		}
		t.report(x, rows, try)
		x = x.again(rows)
	}
	return rows, nil
}

// report prints what was wrong in a try, since the table has only the last one.
func (t *Test) report(x experiment, rows []Row, try int) {
	for _, r := range rows {
		if !r.Pass {
			t.Say(fmt.Sprintf("%s, try %d of %d: %s: %s", x.name, try, tries, r.Device, strings.ReplaceAll(r.line(), "\t", "  ")))
		}
	}
}

// wrongCounts reports whether a row failed whose numbers no busy machine bends.
func wrongCounts(rows []Row) bool {
	for _, r := range rows {
		if !r.Pass && !r.bends {
			return true
		}
	}
	return false
}

// once makes an experiment: a run, as a user's.
func (t *Test) once(ctx context.Context, x experiment) ([]Row, error) {
	t.Say(x.name + ": " + x.why)
	plan, r, err := t.plan(x)
	if err != nil {
		return nil, err
	}
	if x.policed {
		rows, err := t.police(ctx, plan, r)
		return append(rows, agrees(r)...), err
	}
	c := &collector{watched: map[string]*watched{}, say: t.Say}
	for i, target := range plan.Targets {
		w := &watched{Driver: target.Driver}
		c.watched[target.Label()] = w
		plan.Targets[i].Driver = w
	}
	err = t.measure(ctx, x, plan, c, r)
	if err := errors.Join(err, store.Save(plan.Dir, r)); err != nil {
		return nil, err
	}
	rows := x.rows(c)
	if x.n4Faults {
		rows = append(rows, reported(r)...)
	}
	if x.same {
		rows = append(rows, repeatability(r)...)
	}
	if x.models != nil {
		rows = append(rows, x.models.modelRows(r)...)
	}
	return append(rows, agrees(r)...), nil
}

// agrees holds the result against itself: whatever the device did, and however busy the machine
// is, sums add up and shares are shares.
func agrees(r *record.Result) (rows []Row) {
	found := consistency.Check(r)
	rows = []Row{exact("contradictions", 0, uint64(len(found)))}
	for _, why := range found {
		row := failed("contradiction", "%s", why)
		row.bends = false
		rows = append(rows, row)
	}
	for i := range rows {
		rows[i].Device = "the result"
	}
	return rows
}

func (t *Test) plan(x experiment) (*campaign.Job, *record.Result, error) {
	// The device's account is of whole trials.
	sets := append([]string{fmt.Sprintf("settle=%v", settle), "disturbed=keep"}, x.sets...)
	if t.Engine != "" {
		sets = append(sets, "engine="+t.Engine)
	}
	s, err := scenario.Open("quick", sets, false)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, d := range x.devices {
		names = append(names, d.name)
	}
	targets, err := t.Targets(names, s)
	if err != nil {
		return nil, nil, err
	}
	r, err := t.Begin(s)
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(t.Dir, strings.ReplaceAll(x.name, " ", "-"))
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return nil, nil, fmt.Errorf("make the folder of an experiment: %w", err)
	}
	return &campaign.Job{Plan: plan.Plan{Scenario: s, Targets: targets, SearchWire: x.same}, Dir: dir}, r, nil
}

// measure runs the plan, with somebody else on the DUT's CPU if that is asked.
func (t *Test) measure(ctx context.Context, x experiment, p *campaign.Job, o watch.Observer, r *record.Result) error {
	if x.disturb == nil {
		return campaign.Run(ctx, p, o, r)
	}
	placement, err := host.Place(p.Scenario.CPU)
	if err != nil {
		return err
	}
	end, err := x.disturb(placement.DUT[0])
	if err != nil {
		return err
	}
	return errors.Join(campaign.Run(ctx, p, o, r), end())
}

// rows compares what was found with the truth.
func (x experiment) rows(c *collector) (rows []Row) {
	for _, why := range c.failures {
		rows = append(rows, failed("the run", "%s", why))
	}
	for _, d := range x.devices {
		for _, e := range c.found {
			if e.label == d.name {
				rows = append(rows, d.compare(e, c.found)...)
			}
		}
	}
	for _, s := range c.searches {
		if x.ndr > 0 {
			rows = append(rows, searched(s, x.ndr))
		}
		if x.buffer > 0 && s.Method == record.MethodBackToBack {
			rows = append(rows, buffer(s, x.buffer))
		}
	}
	return rows
}

func (d device) compare(e evidence, all []evidence) (rows []Row) {
	if e.account == nil && strings.HasPrefix(d.name, "calibrator") {
		rows = append(rows, failed("the ledger", "%v", e.err))
	} else {
		for _, check := range d.checks {
			rows = append(rows, check(e, all)...)
		}
	}
	for i := range rows {
		rows[i].Device, rows[i].Trial = d.name, e.name()
		rows[i].bends = rows[i].bends || e.disturbed()
	}
	return rows
}
