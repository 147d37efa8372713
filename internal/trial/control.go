package trial

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/n4load"
	"github.com/upflab/upflab/internal/smf"
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
func (dp *Deployment) Memory() (uint64, error) { return dp.site.Memory(dp.subject.Processes()) }

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

// Pager sends downlink packets to UEs, one each time, from the data network; close it.
func (dp *Deployment) Pager() (page func(ue netip.Addr) error, closer io.Closer, err error) {
	ns := dp.site.Links().DNN6.NS
	conn, err := ns.ListenUDP(netip.AddrPortFrom(dp.Scenario.N6.DN, 0))
	if err != nil {
		return nil, nil, err
	}
	const discard = 9 // RFC 863
	return func(ue netip.Addr) error {
		_, err := conn.WriteToUDPAddrPort([]byte("upflab: page"), netip.AddrPortFrom(ue, discard))
		return err
	}, conn, nil
}
