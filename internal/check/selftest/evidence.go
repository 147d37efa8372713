package selftest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/calibrator"
	ledger "github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
)

// evidence is what is known of one trial: upflab's report, and the device's own
// account where it keeps one.
type evidence struct {
	label   string
	trial   record.Trial
	account *ledger.Trial // nil: the device keeps none
	err     error         // why there is no account
}

// name is what the trial is called among those of its device.
func (e evidence) name() string {
	load := e.trial.Load.String()
	if e.trial.Kind == record.KindLatency {
		load = "latency"
	}
	return string(e.trial.Direction) + " " + load
}

// disturbed reports whether the machine kept the CPU from the device for so long
// that frames were lost before it, or left it too late to be counted.
func (e evidence) disturbed() bool {
	return e.account != nil && (e.placed(calibrator.RingFull) > 0 || e.trial.Unattributed > 0 || e.account.Latency.Max > uint64(settle/2))
}

// placed is how many packets upflab counted as lost at these places.
func (e evidence) placed(places ...record.Place) (n uint64) {
	for _, d := range e.trial.Drops {
		if slices.Contains(places, d.Place) {
			n += d.Packets
		}
	}
	return n
}

// watched is a driver whose running instance can be asked for its ledger.
type watched struct {
	dut.Driver
	running *calibrator.Device
}

// Start implements dut.Driver: it also keeps the device that was started, to ask it for its ledger.
func (w *watched) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	i, err := w.Driver.Start(ctx, env)
	if err == nil {
		w.running, _ = i.Program.(*calibrator.Device)
	}
	return i, err
}

// collector is the watch.Observer that asks for the ledger after each trial,
// while the device is still there.
type collector struct {
	watch.Silent
	watched  map[string]*watched // by label
	say      func(string)
	found    []evidence
	searches []search
	failures []string
}

// search is a search's result and whose it is.
type search struct {
	label string
	record.Search
}

// Stage implements watch.Observer: it says what is being set up.
func (c *collector) Stage(target, what string) { c.say(target + ": " + what) }

// Begin implements watch.Observer: it says which trial begins.
func (c *collector) Begin(_ int, target string, t record.Trial) {
	c.say(fmt.Sprintf("%s: %s %s, %v", target, t.Direction, t.Load, time.Duration(t.DurationS*1e9)))
}

// End implements watch.Observer: it keeps the trial beside the device's ledger of it.
func (c *collector) End(_ int, target string, t record.Trial) {
	e := evidence{label: target, trial: t}
	if w := c.watched[target]; w != nil && w.running != nil {
		e.ask(w.running)
	}
	c.found = append(c.found, e)
}

// Searched implements watch.Observer: it keeps the search.
func (c *collector) Searched(target string, s record.Search) {
	c.searches = append(c.searches, search{target, s})
}

// Failed implements watch.Observer: it keeps the error.
func (c *collector) Failed(_ string, err error) { c.failures = append(c.failures, err.Error()) }

// ask reads the account of the trial that has just ended: of those begun, the
// last with an even number, as the generator numbers trials; a warm-up is odd.
func (e *evidence) ask(device *calibrator.Device) {
	l, err := device.Ledger(2)
	if err != nil {
		e.err = err
		return
	}
	side := l.Uplink
	if e.trial.Direction == "downlink" {
		side = l.Downlink
	}
	for i := len(side.Trials) - 1; i >= 0; i-- {
		if n := side.Trials[i].Trial; n > 0 && n%2 == 0 {
			e.account = &side.Trials[i]
			return
		}
	}
	e.err = fmt.Errorf("the ledger has no trial: %d packets received in all", side.Totals.Received)
}
