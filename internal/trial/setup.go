package trial

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
	"github.com/upflab/upflab/internal/traffic/hosts"
	"github.com/upflab/upflab/internal/traffic/trex"
)

func (dp *Deployment) build(setup *record.Setup) (err error) {
	start := time.Now()
	dp.site, err = OpenSite(dp.Claim, dp.Target, dp.Scenario, dp.Tester)
	setup.TestbedSeconds = time.Since(start).Seconds()
	return err
}

// Tester is who sends and receives where this machine does not: other hosts, or TRex. They have
// the tester's ends of N3 and N6.
type Tester struct {
	Hosts *hosts.Session
	TRex  *trex.Server
}

// OpenSite makes or finds the place where a target is measured.
func OpenSite(claim *host.Claim, target dut.Target, s *scenario.Scenario, t Tester) (site.Site, error) {
	spec := TestbedSpec(s, claim.Run)
	elsewhere(&spec, s, t.Hosts)
	atTRex(&spec, t.TRex)
	if target.Info().External && t.Hosts != nil {
		return betweenHosts(claim, spec, t.Hosts)
	}
	if target.Info().External && t.TRex != nil {
		return betweenPorts(claim, spec, t.TRex)
	}
	if target.Info().External {
		a, err := attached.Open(claim, spec, s.External.N3Interface, s.External.N6Interface)
		if err != nil {
			return nil, err
		}
		return a, nil
	}
	built, err := netns.Build(claim, spec)
	if err != nil {
		return nil, err
	}
	return built, nil
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
		dp.subject = telemetry.Subject{PIDs: dp.instance.PIDs, CPUs: dp.Placement.DUT}
	}
	return err
}

// answerWithin is how long a UPF may take from its start to its first answer.
const answerWithin = 15 * time.Second

// associate waits until the UPF answers on N4: by asking, not by sleeping.
func (dp *Deployment) associate(ctx context.Context, setup *record.Setup) error {
	if !dp.Endpoint.HasN4() {
		return nil
	}
	conn, err := dp.site.ListenN4(addrPort(dp.Scenario.N4.SMF, 8805))
	if err != nil {
		return err
	}
	growBuffer(conn)
	dp.n4, err = smf.Dial(smf.Config{
		Conn: conn, CPUs: dp.SMFCPUs(), Peer: net.UDPAddrFromAddrPort(dp.Endpoint.N4), NodeID: dp.Scenario.N4.SMF,
		NetworkInstance: dp.Scenario.N4.NetworkInstance, Dialect: dp.dialect(),
		T1: 50 * time.Millisecond, N1: int(answerWithin / (50 * time.Millisecond)),
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	go dp.watch(ctx, cancel)
	if _, err = dp.n4.Associate(ctx); err != nil {
		return err
	}
	dp.associated = true
	setup.StartSeconds = time.Since(dp.started).Seconds()
	return nil
}

// watch gives up waiting for a UPF that has ended.
func (dp *Deployment) watch(ctx context.Context, cancel func()) {
	select {
	case <-dp.instance.Exited():
		cancel()
	case <-ctx.Done():
	}
}

// dialect is the UPF's, changed to what the scenario asks.
func (dp *Deployment) dialect() smf.Dialect {
	d := dp.Endpoint.Dialect
	switch dp.Scenario.TEID.Assign {
	case scenario.AssignSMF:
		d.Assign = smf.AssignSMF
	case scenario.AssignUPF:
		d.Assign = smf.AssignUPF
	}
	if rules := dp.Scenario.Rules; rules.MBR > 0 {
		d.QER, d.MBR = true, uint64(rules.MBR)
	}
	d.URR = d.URR || dp.Scenario.Rules.URR
	return d
}

func (dp *Deployment) provision(ctx context.Context, setup *record.Setup) (err error) {
	wanted := sessions(dp.Scenario, dp.dialect().Assign)
	for i := range wanted {
		wanted[i].PDRs = dp.PDRs
	}
	dp.placeSessions(wanted)
	if !dp.Endpoint.HasN4() {
		for _, s := range wanted {
			dp.sessions = append(dp.sessions, smf.Established{Session: s, UplinkTEID: s.UplinkTEID})
		}
		return nil
	}
	start := time.Now()
	if dp.sessions, err = dp.n4.Establish(ctx, wanted); err != nil {
		return refused(err, len(dp.sessions), len(wanted))
	}
	setup.Sessions = len(dp.sessions)
	setup.ProvisionSeconds = time.Since(start).Seconds()
	setup.SessionsPerS = float64(setup.Sessions) / setup.ProvisionSeconds
	return nil
}
