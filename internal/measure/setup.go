package measure

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/smf"
	"github.com/upflab/upflab/internal/telemetry"
)

func (b *bench) build(claim *site.Claim, target dut.Target, setup *record.Setup) (err error) {
	start := time.Now()
	s, spec := b.scenario, TestbedSpec(b.scenario, claim.Run)
	if target.Driver.Info().External {
		b.testbed, err = site.Attach(claim, spec, s.External.N3Interface, s.External.N6Interface)
	} else {
		b.testbed, err = site.Build(claim, spec)
	}
	setup.TestbedSeconds = time.Since(start).Seconds()
	return err
}

func (b *bench) start(ctx context.Context, target dut.Target, dir string) (err error) {
	b.started = time.Now()
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
func (b *bench) associate(ctx context.Context, setup *record.Setup) error {
	if b.endpoint.Wire {
		return nil
	}
	conn, err := b.testbed.SMF.ListenUDP(addrPort(b.scenario.N4.SMF, 8805))
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
