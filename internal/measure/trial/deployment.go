package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/capture"
	"github.com/upflab/upflab/internal/traffic/replay"
)

// Config is what a deployment is made of.
type Config struct {
	Scenario     *scenario.Scenario
	Claim        *host.Claim
	Target       dut.Target
	Placement    record.Placement
	EngineName   string
	Recording    *replay.Recording // nil: no capture is replayed
	Dir          string            // for the DUT's configuration and logs
	Root         string            // the result's folder, to which names of files are relative
	Packets      int               // to capture of each hop; 0: none
	bench.Tester                   // who sends and receives; zero: this machine
	Room         int               // sessions that the DUT is configured for, where that is more than the scenario has
	PDRs         int               // of each session; 0: two
	Observer     Observer
	// Raw keeps what a trial is computed from, and gives the number of its record; nil: it is not kept.
	Raw func(*Raw) (uint64, error)
}

// Deployment is one DUT that is up, with its sessions and everything around it: it brings that up
// and takes it down. What is read around a trial its meters read, and a judge judges.
type Deployment struct {
	Config
	meters
	Label string

	started    time.Time // the instance
	n4         *smf.Client
	associated bool
	sessions   []smf.Established
	flows      []*traffic.Flow // the engine's, by flowOf
	paths      []enginePath    // of the flows
	speeds     speeds
	packets    *capture.Capture   // nil: none is asked for
	gateway    *uegateway.Gateway // nil: the traffic is the engine's
}

// Open brings a DUT up and writes into out how that went. On error what was opened
// is in the deployment, too, so that its log can be read; close it.
func Open(ctx context.Context, c Config, out *record.DUT) (*Deployment, error) {
	dp := newDeployment(c)
	dp.packets = dp.capturing(out)
	return dp, dp.open(ctx, out,
		stage{"opening traffic", func() error { return dp.openTraffic(ctx) }},
		stage{"watching the CPUs", func() error { return dp.watchCPUs(out) }},
		stage{"probing", func() error { return dp.probeAndCapture(ctx, out) }})
}

func newDeployment(c Config) *Deployment {
	return &Deployment{Config: c, meters: meters{scenario: c.Scenario, placement: c.Placement}, Label: c.Target.Label()}
}

// stage is a part of bringing a DUT up, as observers see it.
type stage struct {
	what string
	do   func() error
}

// open brings a DUT up with its sessions, and then does what its traffic wants.
func (dp *Deployment) open(ctx context.Context, out *record.DUT, traffic ...stage) error {
	stages := append([]stage{
		{"building the testbed", func() error { return dp.build(&out.Setup) }},
		{"starting", func() error { return dp.start(ctx) }},
		{"setting up N4", func() error { return dp.setUpN4(ctx, &out.Setup) }},
		{fmt.Sprintf("establishing %d sessions", dp.Scenario.Sessions), func() error { return dp.provision(ctx, &out.Setup) }},
	}, traffic...)
	for _, s := range stages {
		dp.Observer.Stage(dp.Label, s.what)
		if err := s.do(); err != nil {
			return dp.Explain(s.what, err, out)
		}
	}
	dp.note(out)
	return nil
}

// note adds what a reader should know of the DUT, and its files.
func (dp *Deployment) note(out *record.DUT) {
	out.Setup.Sockets, out.Setup.NICs = dp.sockets(), dp.site.Links().NICs
	out.Setup.Links = linkEnds(dp.site.Links())
	for _, remark := range append(slices.Clone(dp.Endpoint.Remarks), dp.placementRemark(), dp.instanceRemark(), dp.gnbRemark()) {
		if remark != "" {
			out.Remarks = AppendNew(out.Remarks, remark)
		}
	}
	for _, f := range dp.instance.Files() {
		out.Files = AppendNew(out.Files, dp.relative(f))
	}
}

func (dp *Deployment) build(setup *record.Setup) (err error) {
	start := time.Now()
	dp.site, err = bench.OpenSite(dp.Claim, dp.Target, dp.Scenario, dp.Tester)
	setup.TestbedSeconds = time.Since(start).Seconds()
	return err
}

func (dp *Deployment) start(ctx context.Context) (err error) {
	dp.started = time.Now()
	configured := *dp.Scenario
	configured.Sessions = max(configured.Sessions, dp.Room)
	dp.instance, err = dp.Target.Start(ctx, dut.Env{
		Scenario: &configured, Site: dp.site, CPUs: dp.Placement.DUT, Dir: dp.Dir,
	})
	if err == nil {
		dp.Endpoint = dp.instance.Endpoint
		dp.subject = telemetry.Subject{PIDs: dp.instance.PIDs}
		if dp.site.OwnsUPF() {
			dp.subject.CPUs = dp.Placement.DUT
		}
	}
	return err
}

// relative is the name of a file in the result.
func (dp *Deployment) relative(file string) string {
	if rel, err := filepath.Rel(dp.Root, file); err == nil {
		return rel
	}
	return file
}

// AppendNew appends what the list does not hold yet.
func AppendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// Explain adds to an error what the DUT itself said.
func (dp *Deployment) Explain(doing string, err error, out *record.DUT) error {
	if dp.instance != nil {
		out.LogTail = dp.instance.LogTail()
		if died := dp.Alive(); died != nil {
			err = died // whatever else went wrong came of it
		}
	}
	return fmt.Errorf("%s: %s: %w", dp.Label, doing, err)
}

// Alive is nil while the DUT runs, and all hosts that take part answer; else the error that
// says how that ended.
func (dp *Deployment) Alive() error {
	if ended := dp.ended(); ended != nil || dp.Hosts == nil {
		return ended
	}
	return dp.Hosts.Lost()
}

// ended is nil while the DUT runs.
func (dp *Deployment) ended() error {
	select {
	case <-dp.instance.Exited():
		text := fmt.Sprintf("the UPF has ended (%s)", dp.instance.Status())
		if log := dp.instance.LogTail(); log != "" {
			text += fmt.Sprintf("; its last message: %q", units.LastLine(log))
		}
		return errors.New(text)
	default:
		return nil
	}
}

// Close takes everything down, in the reverse order.
func (dp *Deployment) Close() error {
	errs := []error{dp.CloseDelayProbes()}
	if dp.drops != nil {
		errs = append(errs, dp.drops.Close())
	}
	if dp.monitor != nil {
		errs = append(errs, dp.monitor.Close())
	}
	if dp.processor != nil {
		errs = append(errs, dp.processor.Close())
	}
	if dp.stats != nil {
		errs = append(errs, dp.stats.Close())
	}
	if dp.packets != nil {
		errs = append(errs, dp.packets.Close())
	}
	if dp.gateway != nil {
		errs = append(errs, dp.gateway.Close())
	}
	if dp.n4 != nil {
		dp.release()
		errs = append(errs, dp.n4.Close())
	}
	if dp.engine.Engine != nil {
		errs = append(errs, dp.engine.Close())
	}
	if dp.instance != nil {
		errs = append(errs, dp.instance.Stop())
	}
	if dp.site != nil {
		errs = append(errs, dp.site.Close())
	}
	return errors.Join(errs...)
}

// release ends the association, for a UPF that will go on without us. One that
// we stop anyway need not be asked.
func (dp *Deployment) release() {
	if dp.site.OwnsUPF() || !dp.associated || dp.ended() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	dp.n4.Delete(ctx, dp.sessions)
	dp.n4.Release(ctx)
}
