package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/n4"
	"github.com/upflab/upflab/internal/result"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/telemetry"
	"github.com/upflab/upflab/internal/testbed"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// bench is one DUT that is up, with its sessions and everything around it.
type bench struct {
	label     string
	scenario  *scenario.Scenario
	placement result.Placement
	testbed   *testbed.Testbed
	instance  dut.Instance
	endpoint  dut.Endpoint
	n4        *n4.Client
	sessions  []n4.Established
	engines   map[scenario.Direction]traffic.Engine
	flows     map[scenario.Direction]*traffic.Flow
	subject   telemetry.Subject
	stats     io.Closer // BPF run-time statistics are on until it is closed
}

// open brings a target up. On error what was opened is in the bench, too, so
// that its log can be read; close it.
func (r *run) open(ctx context.Context, target Target, dir string, out *result.DUT) (*bench, error) {
	b := &bench{label: target.Label(), scenario: r.plan.Scenario, placement: r.placement}
	stage := func(what string) { r.observer.Stage(target.Label(), what) }
	steps := []struct {
		what string
		do   func() error
	}{
		{"building the testbed", func() error { return b.build(r.claim, target, &out.Setup) }},
		{"starting", func() error { return b.start(ctx, target, dir) }},
		{"setting up N4", func() error { return b.associate(ctx, &out.Setup) }},
		{fmt.Sprintf("establishing %d sessions", b.scenario.Sessions), func() error { return b.provision(ctx, &out.Setup) }},
		{"opening traffic", b.openTraffic},
		{"probing", func() error { return b.probe(ctx) }},
	}
	for _, s := range steps {
		stage(s.what)
		if err := s.do(); err != nil {
			return b, b.explain(target, s.what, err, out)
		}
	}
	for _, f := range b.instance.Files() {
		if rel, err := filepath.Rel(r.plan.Dir, f); err == nil {
			f = rel
		}
		out.Files = appendNew(out.Files, f)
	}
	return b, nil
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// explain adds to an error what the DUT itself said.
func (b *bench) explain(target Target, doing string, err error, out *result.DUT) error {
	if b.instance == nil {
		return fmt.Errorf("%s: %s: %w", target.Label(), doing, err)
	}
	out.LogTail = b.instance.LogTail()
	if died := b.alive(); died != nil {
		err = died // whatever else went wrong came of it
	}
	return fmt.Errorf("%s: %s: %w", target.Label(), doing, err)
}

func (b *bench) build(claim *testbed.Claim, target Target, setup *result.Setup) (err error) {
	start := time.Now()
	s, spec := b.scenario, TestbedSpec(b.scenario, claim.Run)
	if target.Driver.Info().External {
		b.testbed, err = testbed.Attach(claim, spec, s.External.N3Interface, s.External.N6Interface)
	} else {
		b.testbed, err = testbed.Build(claim, spec)
	}
	setup.TestbedSeconds = time.Since(start).Seconds()
	return err
}

func (b *bench) start(ctx context.Context, target Target, dir string) (err error) {
	b.instance, err = target.Driver.Start(ctx, dut.Env{
		Mode: target.Mode, Scenario: b.scenario, Testbed: b.testbed, CPUs: b.placement.DUT, Dir: dir,
	})
	if err == nil {
		b.endpoint = b.instance.Endpoint()
		b.subject = telemetry.Subject{PIDs: b.instance.PIDs(), CPUs: b.placement.DUT}
	}
	return err
}

// answerWithin is how long a UPF may take from its start to its first answer.
const answerWithin = 15 * time.Second

// associate waits until the UPF answers on N4: by asking, not by sleeping.
func (b *bench) associate(ctx context.Context, setup *result.Setup) error {
	if b.endpoint.Wire {
		return nil
	}
	start := time.Now()
	conn, err := b.testbed.SMF.ListenUDP(addrPort(b.scenario.N4.SMF, 8805))
	if err != nil {
		return err
	}
	b.n4, err = n4.Dial(n4.Config{
		Conn: conn, Peer: net.UDPAddrFromAddrPort(b.endpoint.N4), NodeID: b.scenario.N4.SMF,
		NetworkInstance: b.scenario.N4.NetworkInstance, Dialect: b.dialect(),
		T1: 50 * time.Millisecond, N1: int(answerWithin / (50 * time.Millisecond)),
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	go b.watch(ctx, cancel)
	if _, err = b.n4.Associate(ctx); err != nil {
		return err
	}
	setup.StartSeconds = time.Since(start).Seconds()
	return nil
}

// watch gives up waiting for a UPF that has ended.
func (b *bench) watch(ctx context.Context, cancel func()) {
	select {
	case <-b.instance.Exited():
		cancel()
	case <-ctx.Done():
	}
}

// dialect is the UPF's, changed to what the scenario asks.
func (b *bench) dialect() n4.Dialect {
	d := b.endpoint.Dialect
	switch b.scenario.TEID.Assign {
	case scenario.AssignSMF:
		d.Assign = n4.AssignSMF
	case scenario.AssignUPF:
		d.Assign = n4.AssignUPF
	}
	return d
}

func (b *bench) provision(ctx context.Context, setup *result.Setup) (err error) {
	wanted := sessions(b.scenario, b.dialect().Assign)
	if b.endpoint.Wire {
		for _, s := range wanted {
			b.sessions = append(b.sessions, n4.Established{Session: s, UplinkTEID: s.UplinkTEID})
		}
		return nil
	}
	start := time.Now()
	if b.sessions, err = b.n4.Establish(ctx, wanted); err != nil {
		return err
	}
	setup.Sessions = len(b.sessions)
	setup.ProvisionSeconds = time.Since(start).Seconds()
	setup.SessionsPerS = float64(setup.Sessions) / setup.ProvisionSeconds
	return nil
}

// openTraffic opens the engines and gives each part its CPU.
func (b *bench) openTraffic() error {
	b.engines = map[scenario.Direction]traffic.Engine{}
	b.flows = map[scenario.Direction]*traffic.Flow{}
	for _, d := range []scenario.Direction{scenario.Uplink, scenario.Downlink} {
		at := ends(b.testbed, d)
		f := flow(b.scenario, b.endpoint, b.sessions, d)
		f.Source, f.Destination, f.Expect.MAC = at.send.MAC, at.upf.MAC, at.arrive.MAC
		engine, err := xdp.Open(xdp.Config{Flow: f, Send: at.send, Receive: at.arrive,
			CPU: b.placement.Generator, Settle: b.scenario.Settle.Duration})
		if err != nil {
			return err
		}
		b.engines[d], b.flows[d] = engine, f
	}
	if b.scenario.BPFStats {
		stats, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
		if err != nil {
			return fmt.Errorf("switch BPF run-time statistics on: %w", err)
		}
		b.stats = stats
	}
	return b.pin()
}

// pin gives the DUT's and the sink's NAPI threads their CPUs. On one shared CPU
// everything runs where it is sent from, without threads.
func (b *bench) pin() error {
	if b.placement.Kind == testbed.Shared {
		return nil
	}
	if b.testbed.UPF != nil {
		for _, port := range []testbed.Port{b.testbed.UPFN3, b.testbed.UPFN6} {
			pids, err := port.PinNAPI(b.placement.DUT)
			if err != nil {
				return err
			}
			b.subject.NAPI = append(b.subject.NAPI, pids...)
		}
	}
	for _, cpu := range b.placement.DUT {
		if cpu == b.placement.Sink {
			return nil // the sink runs in the softirq that sends to it
		}
	}
	for _, port := range []testbed.Port{b.testbed.GNB, b.testbed.DNN6} {
		if _, err := port.PinNAPI([]int{b.placement.Sink}); err != nil {
			return err
		}
	}
	return nil
}

// probe sends a few packets each way before anything is measured.
func (b *bench) probe(ctx context.Context) error {
	for _, d := range b.scenario.Directions {
		o, err := b.engines[d].Run(ctx, traffic.Schedule{PPS: 1000, Duration: 20 * time.Millisecond}, nil, nil)
		if err != nil {
			return err
		}
		if o.Received > 0 {
			continue
		}
		return fmt.Errorf("the UPF accepted the sessions but forwards no %s packets: %d sent, none arrived right%s",
			d, o.Sent, b.lastSeen(d, o))
	}
	return nil
}

// lastSeen says where the probe packets went, as far as counters tell.
func (b *bench) lastSeen(d scenario.Direction, o traffic.Outcome) string {
	var words []string
	for _, w := range o.Wrong {
		words = append(words, fmt.Sprintf("%d arrived with wrong %s", w.Packets, w.Place))
	}
	if len(o.Specimen) > 0 {
		words = append(words, fmt.Sprintf("one began % x", o.Specimen[:min(len(o.Specimen), 64)]))
	}
	drops, err := b.instance.Drops()
	if err == nil {
		for _, c := range drops {
			if c.Packets > 0 {
				words = append(words, fmt.Sprintf("%s: %d", c.Place, c.Packets))
			}
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; " + strings.Join(words, "; ")
}

// alive tells whether the DUT still runs.
func (b *bench) alive() error {
	select {
	case <-b.instance.Exited():
		return fmt.Errorf("the UPF has ended (%s); it last said: %q", b.instance.Status(), lastLine(b.instance.LogTail()))
	default:
		return nil
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// close takes everything down, in the reverse order.
func (b *bench) close() error {
	var errs []error
	if b.stats != nil {
		errs = append(errs, b.stats.Close())
	}
	if b.n4 != nil {
		b.release()
		errs = append(errs, b.n4.Close())
	}
	for _, e := range b.engines {
		errs = append(errs, e.Close())
	}
	if b.instance != nil {
		errs = append(errs, b.instance.Stop())
	}
	if b.testbed != nil {
		errs = append(errs, b.testbed.Close())
	}
	return errors.Join(errs...)
}

// release ends the association, for a UPF that will go on without us. One that
// we stop anyway need not be asked.
func (b *bench) release() {
	if len(b.instance.PIDs()) > 0 && b.testbed.UPF != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	b.n4.Delete(ctx, b.sessions)
	b.n4.Release(ctx)
}
