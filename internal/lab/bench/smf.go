package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/socket/backlog"
	"github.com/upflab/upflab/internal/text/wait"
)

// SMF is the session management of a bench: it associates with the DUT and establishes the scenario's sessions. Of a DUT
// without N4 it has the sessions that traffic is sent for.
type SMF struct {
	bench      *Bench
	client     *smf.Client // nil: there is no association
	associated bool
	sessions   []smf.Established
}

// Client is the SMF's end of the association; nil: the DUT has no N4.
func (m *SMF) Client() *smf.Client { return m.client }

// Sessions are those that are established.
func (m *SMF) Sessions() []smf.Established { return m.sessions }

// CPUs are those that the SMF's threads run on: all but the UPF's, or nil where there are
// no others.
func (m *SMF) CPUs() []int {
	all, err := host.AllowedCPUs()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(cpu int) bool { return slices.Contains(m.bench.Placement.DUT, cpu) })
}

// More lists n sessions that are not established, from a number on.
func (m *SMF) More(from, n int) []smf.Session {
	return sessionsFrom(m.bench.Scenario, m.dialect().Assign, from, n)
}

// Note records what the UPF did wrong on N4 in this visit, whether the visit
// succeeded or not.
func (m *SMF) Note(out *record.DUT) {
	if m.client == nil {
		return
	}
	out.N4Findings = record.AddN4(out.N4Findings, m.client.Findings())
	for _, f := range out.N4Findings {
		out.Remarks = withN4Remark(out.Remarks, f)
	}
}

// withN4Remark appends the remark about a finding, in place of that of earlier
// visits, which counts less.
func withN4Remark(remarks []string, f record.N4Finding) []string {
	kind := smf.FindingKind(f.Code) + ":"
	remarks = slices.DeleteFunc(slices.Clone(remarks), func(r string) bool { return strings.HasPrefix(r, kind) })
	return append(remarks, smf.FindingRemark(f))
}

// answerWithin is how long a UPF may take from its start to its first answer.
const answerWithin = 15 * time.Second

// associate waits until the UPF answers on N4: by asking, not by sleeping.
func (m *SMF) associate(ctx context.Context, setup *record.Setup) error {
	if !m.bench.Endpoint.HasN4() {
		return nil
	}
	node, _ := m.bench.Scenario.N4Ends()
	conn, err := m.bench.site.ListenN4(netip.AddrPortFrom(node, pfcp.Port))
	if err != nil {
		return err
	}
	backlog.Grow(conn, answersRoom)
	m.client, err = smf.Dial(smf.Config{
		Conn: conn, CPUs: m.CPUs(), Peer: net.UDPAddrFromAddrPort(m.bench.Endpoint.N4), NodeID: node,
		NetworkInstance: m.bench.Scenario.N4.NetworkInstance, Dialect: m.dialect(),
		T1: 50 * time.Millisecond, N1: int(answerWithin / (50 * time.Millisecond)),
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	go m.watch(ctx, cancel)
	if _, err = m.client.Associate(ctx); err != nil {
		return err
	}
	m.associated = true
	setup.StartSeconds = time.Since(m.bench.started).Seconds()
	return nil
}

// watch gives up waiting for a UPF that has ended.
func (m *SMF) watch(ctx context.Context, cancel func()) {
	select {
	case <-m.bench.instance.Exited():
		cancel()
	case <-ctx.Done():
	}
}

// dialect is the UPF's, changed to what the scenario asks.
func (m *SMF) dialect() smf.Dialect {
	d := m.bench.Endpoint.Dialect
	switch m.bench.Scenario.TEID.Assign {
	case scenario.AssignSMF:
		d.Assign = smf.AssignSMF
	case scenario.AssignUPF:
		d.Assign = smf.AssignUPF
	}
	if rules := m.bench.Scenario.Rules; rules.MBR > 0 {
		d.QER, d.MBR = true, uint64(rules.MBR)
	}
	d.URR = d.URR || m.bench.Scenario.Rules.URR
	return d
}

func (m *SMF) provision(ctx context.Context, setup *record.Setup) (err error) {
	wanted := Sessions(m.bench.Scenario, m.dialect().Assign)
	for i := range wanted {
		wanted[i].PDRs = m.bench.PDRs
	}
	m.place(wanted)
	if !m.bench.Endpoint.HasN4() {
		for _, s := range wanted {
			m.sessions = append(m.sessions, smf.Established{Session: s, UplinkTEID: s.UplinkTEID})
		}
		return nil
	}
	start := time.Now()
	if m.sessions, err = m.client.Establish(ctx, wanted); err != nil {
		return refused(err, len(m.sessions), len(wanted))
	}
	setup.Sessions = len(m.sessions)
	setup.ProvisionSeconds = time.Since(start).Seconds()
	setup.SessionsPerS = float64(setup.Sessions) / setup.ProvisionSeconds
	return wait.Pause(ctx, m.dialect().Settling)
}

// place gives sessions the gNB whose host sends for them.
func (m *SMF) place(list []smf.Session) {
	hosts := m.bench.Hosts
	if hosts == nil {
		return
	}
	gnbs := m.bench.Scenario.GNBs()
	for i := range list {
		list[i].GNB = gnbs[hosts.GNBOf(list[i].Index)]
	}
}

// instanceRemark says that sessions are not told apart by Network Instance although the
// scenario asks for that; "": they are, or it does not.
func (m *SMF) instanceRemark() string {
	d := m.dialect()
	switch {
	case len(m.bench.Scenario.InstancesOf()) < 2:
		return ""
	case !m.bench.Endpoint.HasN4():
		return "It has no rules, and so no Network Instances: all UEs are alike to it."
	case d.NetworkInstance == smf.InstanceOmitted:
		return "Its rules carry no Network Instance: the UEs differ in their QFI alone."
	case d.OneInstance:
		return "It is configured with one Network Instance, which all UEs have: they differ in their QFI alone."
	}
	return ""
}

// switchPath moves the path of a UE, by its number from 0, to a gNB, with end markers. It returns how long the
// modification took.
func (m *SMF) switchPath(ctx context.Context, ue int, to netip.Addr) (time.Duration, error) {
	start := time.Now()
	changed, err := m.client.Modify(ctx, m.sessions[ue:ue+1], func(e smf.Established) smf.Change {
		return smf.Change{GNB: to, TEID: e.DownlinkTEID, EndMarker: true}
	})
	took := time.Since(start)
	if err != nil {
		return took, fmt.Errorf("switch the path of UE %d: %w", ue+1, err)
	}
	m.sessions[ue] = changed[0]
	return took, nil
}

// Close ends the association.
func (m *SMF) Close() error {
	if m.client == nil {
		return nil
	}
	m.release()
	return m.client.Close()
}

// release ends the association, for a UPF that will go on without us. One that
// we stop anyway need not be asked.
func (m *SMF) release() {
	if m.bench.site.OwnsUPF() || !m.associated || m.bench.Died() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	m.client.Delete(ctx, m.sessions)
	m.client.Release(ctx)
}

// refused adds to the UPF's refusal of a session how many it took before it, and
// what to set then.
func refused(err error, accepted, wanted int) error {
	var r *smf.RejectedError
	if !errors.As(err, &r) || r.Session == nil || accepted == 0 {
		return err
	}
	return fmt.Errorf("%w; it had taken %d of %d sessions: set sessions=%d or less, or give the UPF room for more",
		err, accepted, wanted, accepted)
}
