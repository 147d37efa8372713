package measure

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/site/attached"
	"github.com/upflab/upflab/internal/site/netns"
	"github.com/upflab/upflab/internal/smf"
	"github.com/upflab/upflab/internal/telemetry"
)

func (b *bench) build(claim *host.Claim, target dut.Target, setup *record.Setup) (err error) {
	start := time.Now()
	b.site, err = openSite(claim, target, b.scenario)
	setup.TestbedSeconds = time.Since(start).Seconds()
	return err
}

// openSite makes or finds the place where a target is measured.
func openSite(claim *host.Claim, target dut.Target, s *scenario.Scenario) (site.Site, error) {
	spec := TestbedSpec(s, claim.Run)
	if target.Driver.Info().External {
		a, err := attached.Open(claim, spec, s.External.N3Interface, s.External.N6Interface)
		if err != nil {
			return nil, err
		}
		return a, nil
	}
	t, err := netns.Build(claim, spec)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (b *bench) start(ctx context.Context, target dut.Target, dir string) (err error) {
	b.started = time.Now()
	b.instance, err = target.Driver.Start(ctx, dut.Env{
		Mode: target.Mode, Scenario: b.scenario, Site: b.site, CPUs: b.placement.DUT, Dir: dir,
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
func (b *bench) associate(ctx context.Context, setup *record.Setup) error {
	if b.endpoint.Wire {
		return nil
	}
	conn, err := b.site.ListenN4(addrPort(b.scenario.N4.SMF, 8805))
	if err != nil {
		return err
	}
	b.n4, err = smf.Dial(smf.Config{
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
	b.associated = true
	setup.StartSeconds = time.Since(b.started).Seconds()
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
func (b *bench) dialect() smf.Dialect {
	d := b.endpoint.Dialect
	switch b.scenario.TEID.Assign {
	case scenario.AssignSMF:
		d.Assign = smf.AssignSMF
	case scenario.AssignUPF:
		d.Assign = smf.AssignUPF
	}
	return d
}

func (b *bench) provision(ctx context.Context, setup *record.Setup) (err error) {
	wanted := sessions(b.scenario, b.dialect().Assign)
	if b.endpoint.Wire {
		for _, s := range wanted {
			b.sessions = append(b.sessions, smf.Established{Session: s, UplinkTEID: s.UplinkTEID})
		}
		return nil
	}
	start := time.Now()
	if b.sessions, err = b.n4.Establish(ctx, wanted); err != nil {
		return refused(err, len(b.sessions), len(wanted))
	}
	setup.Sessions = len(b.sessions)
	setup.ProvisionSeconds = time.Since(start).Seconds()
	setup.SessionsPerS = float64(setup.Sessions) / setup.ProvisionSeconds
	return nil
}
