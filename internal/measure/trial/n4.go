package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/n4load"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/socket/threads"
)

// N4 is the SMF's end of the association; nil: the DUT has no N4.
func (dp *Deployment) N4() *smf.Client { return dp.n4 }

// SMFCPUs are those that the SMF's threads run on: all but the UPF's, or nil where there are
// no others.
func (dp *Deployment) SMFCPUs() []int {
	all, err := host.AllowedCPUs()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(cpu int) bool { return slices.Contains(dp.Placement.DUT, cpu) })
}

// MoreSessions lists n sessions that are not established, from a number on.
func (dp *Deployment) MoreSessions(from, n int) []smf.Session {
	return sessionsFrom(dp.Scenario, dp.dialect().Assign, from, n)
}

// Memory is what the DUT uses, octets.
func (mt *meters) Memory() (uint64, error) { return mt.site.Memory(mt.subject.Processes()) }

// benchSMF and benchUPF are where upflab's SMF speaks to a responder of its own.
var (
	benchSMF = netip.MustParseAddrPort("127.0.0.1:18805")
	benchUPF = netip.MustParseAddrPort("127.0.0.2:18805")
)

// BenchN4 gives a client whose requests a responder accepts that keeps nothing, on the
// DUT's CPU: what this SMF does by itself.
func (dp *Deployment) BenchN4() (*smf.Client, io.Closer, error) {
	there, err := dp.site.ListenN4(benchUPF)
	if err != nil {
		return nil, nil, err
	}
	growBuffer(there)
	responder, err := n4load.NewResponder(there, dp.Placement.DUT[0])
	if err != nil {
		return nil, nil, err
	}
	here, err := dp.site.ListenN4(benchSMF)
	if err != nil {
		return nil, nil, errors.Join(err, responder.Close())
	}
	growBuffer(here)
	c, err := smf.Dial(smf.Config{Conn: here, CPUs: dp.SMFCPUs(), Peer: net.UDPAddrFromAddrPort(benchUPF), NodeID: benchSMF.Addr(),
		NetworkInstance: dp.Scenario.N4.NetworkInstance, Dialect: dp.dialect()})
	if err != nil {
		return nil, nil, errors.Join(err, here.Close(), responder.Close())
	}
	return c, closers{c, responder}, nil
}

// closers are closed in their order.
type closers []io.Closer

func (list closers) Close() (err error) {
	for _, c := range list {
		err = errors.Join(err, c.Close())
	}
	return err
}

// growBuffer lets answers wait that come while upflab has no CPU. Where that is not allowed
// the buffer stays.
func growBuffer(conn *net.UDPConn) {
	const octets = 8 << 20
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		if unix.SetsockoptInt(int(fd), syscall.SOL_SOCKET, unix.SO_RCVBUFFORCE, octets) != nil {
			_ = conn.SetReadBuffer(octets)
		}
	})
}

// NoteN4 records what the UPF did wrong on N4 in this visit, whether the visit
// succeeded or not.
func (dp *Deployment) NoteN4(out *record.DUT) {
	if dp.n4 == nil {
		return
	}
	out.N4Findings = record.AddN4(out.N4Findings, dp.n4.Findings())
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

// errNoN4 is a DUT whose sessions cannot be changed.
var errNoN4 = errors.New("it has no N4, so there is no path to switch")

// otherGNB gives the address of a second gNB: the one after that of the first.
func (dp *Deployment) otherGNB() (netip.Addr, error) {
	s := dp.Scenario
	next := s.N3.GNB.Next()
	if next == s.N3.UPF {
		next = next.Next()
	}
	if !netip.PrefixFrom(s.N3.GNB, s.N3.Prefix).Masked().Contains(next) {
		return next, fmt.Errorf("a second gNB needs an address behind n3.gnb %s, and %s is not in its subnet of "+
			"%d bits: set n3.gnb lower", s.N3.GNB, next, s.N3.Prefix)
	}
	return next, nil
}

// PrepareHandover gives N3 the address of a second gNB, which the UPF knows as a
// neighbour.
func (dp *Deployment) PrepareHandover() error {
	if !dp.Endpoint.HasN4() {
		return errNoN4
	}
	gnb, err := dp.otherGNB()
	if err != nil {
		return err
	}
	l := dp.site.Links()
	if err := l.GNB.AddAddress(gnb); err != nil {
		return err
	}
	if !dp.site.OwnsUPF() {
		return nil
	}
	return dp.site.Provide(site.Needs{Neighbours: []netdev.Neighbour{{Device: l.UPFN3.Name, IP: gnb, MAC: l.GNB.MAC}}})
}

// Handover moves a UE, by its number from 0, to the gNB where it is not: the UE first,
// then its path by a Session Modification with end markers (TS 23.502 clause 4.9.1.2,
// TS 29.244 clause 5.2.3.2). It returns how long the modification took.
func (dp *Deployment) Handover(ctx context.Context, ue int) (time.Duration, error) {
	if !dp.Endpoint.HasN4() {
		return 0, errNoN4
	}
	to, err := dp.otherGNB()
	if err != nil {
		return 0, err
	}
	if dp.sessions[ue].GNB == to {
		to = dp.Scenario.N3.GNB
	}
	u := dp.gateway.UEs()[ue]
	u.GNB = to
	if err := dp.gateway.Set(u); err != nil {
		return 0, err
	}
	start := time.Now()
	changed, err := dp.n4.Modify(ctx, dp.sessions[ue:ue+1], func(e smf.Established) smf.Change {
		return smf.Change{GNB: to, TEID: e.DownlinkTEID, EndMarker: true}
	})
	took := time.Since(start)
	if err != nil {
		return took, fmt.Errorf("switch the path of UE %d: %w", ue+1, err)
	}
	dp.sessions[ue] = changed[0]
	return took, nil
}

// answerWithin is how long a UPF may take from its start to its first answer.
const answerWithin = 15 * time.Second

// associate waits until the UPF answers on N4: by asking, not by sleeping.
func (dp *Deployment) associate(ctx context.Context, setup *record.Setup) error {
	if !dp.Endpoint.HasN4() {
		return nil
	}
	node, _ := dp.Scenario.N4Ends()
	conn, err := dp.site.ListenN4(netip.AddrPortFrom(node, pfcp.Port))
	if err != nil {
		return err
	}
	growBuffer(conn)
	dp.n4, err = smf.Dial(smf.Config{
		Conn: conn, CPUs: dp.SMFCPUs(), Peer: net.UDPAddrFromAddrPort(dp.Endpoint.N4), NodeID: node,
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
	return threads.Pause(ctx, dp.dialect().Settling)
}
