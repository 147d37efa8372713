package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/causes"
	"github.com/upflab/upflab/internal/measure/behaviour/lab"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// visitCases brings a DUT up and holds it to the cases, in their order.
func visitCases(ctx context.Context, v *visit) (err error) {
	defer func() { v.out.Causes = causes.Of(v.out.Cases) }()
	v.Observer.Stage(v.target.Label(), "starting")
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
	list, err := v.Plan.CaseList()
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
	return lab.Config{
		Config:  bench.Config{Scenario: v.Plan.Scenario, Claim: v.Claim, Target: v.target, Placement: v.Placement, Dir: v.FolderOf(v.target)},
		Streams: v.Plan.Scenario.Kind == scenario.KindQoS,
	}
}

// capture copies the first packets of each hop, where that is asked, until written writes them
// to the DUT's folder. It ends where upflab starts the UPF anew, with which the ports are made anew.
func (v *visit) capture(l *lab.Lab) (written func() error, err error) {
	path := filepath.Join(v.FolderOf(v.target), trial.PacketsFile)
	if v.Packets == 0 || slices.Contains(v.out.Files, v.relative(path)) {
		return func() error { return nil }, nil
	}
	stop, err := l.CaptureFirst(v.Packets)
	if err != nil {
		return nil, err
	}
	v.out.Files = append(v.out.Files, v.relative(path))
	return func() error { return stop(path, nil) }, nil
}

// relative is a file of the DUT's folder as the result names it.
func (v *visit) relative(path string) string {
	return filepath.Join(plan.Folder(v.target), filepath.Base(path))
}

// tryCase runs a case, the n-th from 0, and writes its row down.
func (v *visit) tryCase(ctx context.Context, bench *behaviour.Bench, n int, c *behaviour.Case) error {
	v.Observer.Stage(v.target.Label(), c.ID)
	extension := c.Keeps
	if extension == "" {
		extension = ".pcapng"
	}
	path := filepath.Join(v.FolderOf(v.target), c.ID+extension)
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
	v.Observer.Tried(v.first+n+1, v.target.Label(), watch.Step{Name: c.ID, Outcome: outcome, Good: !row.Verdict.Bad()})
	return v.Save()
}
