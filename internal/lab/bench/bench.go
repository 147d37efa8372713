package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
)

// Config is what a bench is made of.
type Config struct {
	Scenario  *scenario.Scenario
	Claim     *host.Claim
	Target    dut.Target
	Placement record.Placement
	Dir       string // for the DUT's configuration and logs
	Tester           // who sends and receives; zero: this machine
	Room      int    // sessions that the DUT is configured for, where that is more than the scenario has
	// Of a DUT with an SMF:
	PDRs  int                       // of each session; 0: two
	Root  string                    // the result's folder, to which names of files are relative
	Stage func(target, what string) // is called with what is being set up
}

// Bench is a site with one DUT: it opens the site and starts the DUT, and takes both down. Its methods but OpenSite, Start,
// LogTail and Close need a DUT that was started.
type Bench struct {
	Config
	Label    string            // of the DUT
	Endpoint dut.Endpoint      // of the DUT, once it is started
	Subject  telemetry.Subject // what the DUT uses of this machine, once it is started

	started  time.Time // the DUT
	site     site.Site
	instance *dut.Instance
}

// New is a bench with nothing on it yet.
func New(c Config) *Bench { return &Bench{Config: c, Label: c.Target.Label()} }

// OpenSite makes or finds the place of the DUT.
func (b *Bench) OpenSite() (err error) {
	b.site, err = OpenSite(b.Claim, b.Target, b.Scenario, b.Tester)
	return err
}

// Start starts the DUT.
func (b *Bench) Start(ctx context.Context) (err error) {
	b.started = time.Now()
	if b.instance, err = b.launch(ctx); err != nil {
		return err
	}
	b.use(b.instance)
	return nil
}

func (b *Bench) launch(ctx context.Context) (*dut.Instance, error) {
	configured := *b.Scenario
	configured.Sessions = max(configured.Sessions, b.Room)
	return b.Target.Start(ctx, dut.Env{Scenario: &configured, Site: b.site, CPUs: b.Placement.DUT, Dir: b.Dir})
}

func (b *Bench) use(i *dut.Instance) {
	b.instance, b.Endpoint = i, i.Endpoint
	b.Subject = telemetry.Subject{PIDs: i.PIDs}
	if b.site.OwnsUPF() {
		b.Subject.CPUs = b.Placement.DUT
	}
}

// StartAgain starts a DUT that has ended, in the same place.
func (b *Bench) StartAgain(ctx context.Context) error {
	if err := b.instance.Stop(); err != nil {
		return err
	}
	i, err := b.launch(ctx)
	if err != nil {
		return err
	}
	b.use(i)
	return nil
}

// Site is where the DUT runs.
func (b *Bench) Site() site.Site { return b.site }

// Instance is the DUT that runs.
func (b *Bench) Instance() *dut.Instance { return b.instance }

// Owns reports whether the run starts the DUT, and may end it.
func (b *Bench) Owns() bool { return b.site.OwnsUPF() }

// Ended is closed when the DUT ends by itself.
func (b *Bench) Ended() <-chan struct{} { return b.instance.Exited() }

// Over reports whether the DUT has ended by itself, and how.
func (b *Bench) Over() (how string, over bool) {
	select {
	case <-b.instance.Exited():
		return b.instance.Status(), true
	default:
		return "", false
	}
}

// Died is nil while the DUT runs; else the error that says how it ended.
func (b *Bench) Died() error {
	how, over := b.Over()
	if !over {
		return nil
	}
	text := fmt.Sprintf("the UPF has ended (%s)", how)
	if log := b.instance.LogTail(); log != "" {
		text += fmt.Sprintf("; its last message: %q", units.LastLine(log))
	}
	return errors.New(text)
}

// Alive is nil while the DUT runs, and all hosts that take part answer; else the error that
// says how that ended.
func (b *Bench) Alive() error {
	if died := b.Died(); died != nil || b.Hosts == nil {
		return died
	}
	return b.Hosts.Lost()
}

// Files are the DUT's configuration and logs.
func (b *Bench) Files() []string { return b.instance.Files() }

// LogTail is the end of the DUT's log; "": it has none, or was not started.
func (b *Bench) LogTail() string {
	if b.instance == nil {
		return ""
	}
	return b.instance.LogTail()
}

// Close stops the DUT and removes the site.
func (b *Bench) Close() error {
	var errs []error
	if b.instance != nil {
		errs = append(errs, b.instance.Stop())
	}
	if b.site != nil {
		errs = append(errs, b.site.Close())
		b.site = nil
	}
	return errors.Join(errs...)
}
