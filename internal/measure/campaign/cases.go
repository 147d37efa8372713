package campaign

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/attack"
	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/measure/behaviour/causes"
	"github.com/upflab/upflab/internal/measure/behaviour/exactness"
	"github.com/upflab/upflab/internal/measure/behaviour/lab"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// politeRate is the highest rate of an attack on a UPF that upflab did not start: inputs, or
// packets of a flood, per second.
const politeRate = 1000

// cases are those that each DUT is held to.
func (p *Plan) cases() ([]behaviour.Case, error) {
	s := p.Scenario
	switch {
	case p.Cases != nil:
		return p.Cases, nil
	case s.Kind == scenario.KindAttack:
		return attack.Select(p.attack(), s.Cases)
	case s.Kind == scenario.KindQoS:
		return exactness.Select(s.Duration.Duration, s.Cases)
	}
	return cases.Select(s.Cases)
}

// attack gives how hard UPFs are attacked: less where upflab did not start one of them.
func (p *Plan) attack() attack.Options {
	s := p.Scenario
	o := attack.Options{PerSecond: s.Attack.Rate, For: s.Attack.Duration.Duration, Seed: uint64(s.Attack.Seed)}
	if p.foreign() {
		o.PerSecond, o.Most = min(o.PerSecond, politeRate), politeRate
	}
	return o
}

// foreign reports whether upflab does not start some of the DUTs.
func (p *Plan) foreign() bool {
	return slices.ContainsFunc(p.Targets, func(t dut.Target) bool { return t.Info().External })
}

// elsewhere reports whether upflab starts none of the DUTs, so that it places none.
func (p *Plan) elsewhere() bool {
	return !slices.ContainsFunc(p.Targets, func(t dut.Target) bool { return !t.Info().External })
}

// checkCases finds cases that do not exist, and an attack on a UPF whose owner has not agreed.
func checkCases(p *Plan) error {
	if _, err := p.cases(); err != nil {
		return err
	}
	if p.Scenario.Kind != scenario.KindAttack || !p.foreign() {
		return nil
	}
	allowed, err := netip.ParseAddr(p.MayAttack)
	if p.MayAttack != "" && err != nil {
		return fmt.Errorf("--i-am-allowed-to-attack %s: it is not an IP address", p.MayAttack)
	}
	if upf := p.Scenario.N4.UPF; allowed != upf {
		return fmt.Errorf("the DUT external was not started by upflab: an attack may end it and all sessions with it. "+
			"If its owner agrees, say so by --i-am-allowed-to-attack %s (n4.upf)", upf)
	}
	return nil
}

func caseSteps(r *run, _, _ int) int {
	list, _ := r.plan.cases() // checked
	return len(list)
}

// caseTakes is about how long a case takes that gives no time, with a UPF without findings.
const caseTakes = 200 * time.Millisecond

func outlineCases(p *Plan, o *Outline) (visit time.Duration) {
	list, _ := p.cases() // checked
	for _, c := range list {
		visit += max(c.Lasts, caseTakes)
	}
	o.Cases, o.Of = len(list), "case"
	return visit
}

// visitCases brings a DUT up and holds it to the cases, in their order.
func visitCases(ctx context.Context, v *visit) (err error) {
	defer func() { v.out.Causes = causes.Of(v.out.Cases) }()
	v.observer.Stage(v.target.Label(), "starting")
	l, err := lab.Open(ctx, v.labConfig())
	if err != nil {
		return fmt.Errorf("%s: %w", v.target.Label(), err)
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	written, err := v.capture(l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, written()) }()
	bench, err := behaviour.New(ctx, l)
	if err != nil {
		v.out.LogTail = l.LogTail()
		return fmt.Errorf("%s: %w", v.target.Label(), err)
	}
	defer func() { err = errors.Join(err, bench.Close()) }()
	v.out.Features, bench.Label = bench.Features.Names(), v.target.Label()+" "+v.target.Version
	for _, f := range l.Files() {
		v.out.Files = append(v.out.Files, v.relative(f))
	}
	list, err := v.plan.cases()
	if err != nil {
		return err
	}
	for i := range list {
		if err := v.tryCase(ctx, bench, i, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// labConfig is how a DUT is brought up for cases and incidents. Streams go from inside the kernel
// where rates are measured; else packet sockets send everything.
func (v *visit) labConfig() lab.Config {
	c := lab.Config{Scenario: v.plan.Scenario, Claim: v.claim, Target: v.target, CPUs: v.placement.DUT, Dir: v.folderOf(v.target)}
	if v.plan.Scenario.Kind == scenario.KindQoS {
		c.Placement = &v.placement
	}
	return c
}

// capture copies the first packets of each hop, where that is asked, until written writes them
// to the DUT's folder. It ends where upflab starts the UPF anew, with which the ports are made anew.
func (v *visit) capture(l *lab.Lab) (written func() error, err error) {
	path := filepath.Join(v.folderOf(v.target), trial.PacketsFile)
	if v.plan.Packets == 0 || slices.Contains(v.out.Files, v.relative(path)) {
		return func() error { return nil }, nil
	}
	stop, err := l.CaptureFirst(v.plan.Packets)
	if err != nil {
		return nil, err
	}
	v.out.Files = append(v.out.Files, v.relative(path))
	return func() error { return stop(path, nil) }, nil
}

// relative is a file of the DUT's folder as the result names it.
func (v *visit) relative(path string) string {
	return filepath.Join(folder(v.target), filepath.Base(path))
}

// tryCase runs a case, the n-th from 0, and writes its row down.
func (v *visit) tryCase(ctx context.Context, bench *behaviour.Bench, n int, c *behaviour.Case) error {
	v.observer.Stage(v.target.Label(), c.ID)
	extension := c.Keeps
	if extension == "" {
		extension = ".pcapng"
	}
	path := filepath.Join(v.folderOf(v.target), c.ID+extension)
	row, err := bench.Run(ctx, c, path)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", v.target.Label(), c.ID, err)
	}
	if row.Capture != "" {
		row.Capture = v.relative(path)
	}
	for i := 0; row.Attack != nil && i < len(row.Attack.Ended); i++ {
		row.Attack.Ended[i].File = v.relative(row.Attack.Ended[i].File)
	}
	v.out.Cases = append(v.out.Cases, row)
	outcome := strings.ReplaceAll(string(row.Verdict), "_", " ")
	switch {
	case row.Verdict.Bad():
		outcome += ": " + row.Expected + ": " + row.Observed
	case row.Verdict == record.VerdictNotApplicable:
		outcome += ": " + row.Observed
	}
	v.observer.Tried(v.first+n+1, v.target.Label(), watch.Step{Name: c.ID, Outcome: outcome, Good: !row.Verdict.Bad()})
	return v.save()
}
