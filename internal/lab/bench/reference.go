package bench

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/n4load"
	"github.com/upflab/upflab/internal/lab/smf"
)

// benchSMF and benchUPF are where upflab's SMF speaks to a responder of its own.
var (
	benchSMF = netip.MustParseAddrPort("127.0.0.1:18805")
	benchUPF = netip.MustParseAddrPort("127.0.0.2:18805")
)

// Reference gives a client whose requests a responder accepts that keeps nothing, on the
// DUT's CPU: what this SMF does by itself.
func (m *SMF) Reference() (*smf.Client, io.Closer, error) {
	there, err := m.bench.site.ListenN4(benchUPF)
	if err != nil {
		return nil, nil, err
	}
	growBuffer(there)
	responder, err := n4load.NewResponder(there, m.bench.Placement.DUT[0])
	if err != nil {
		return nil, nil, err
	}
	here, err := m.bench.site.ListenN4(benchSMF)
	if err != nil {
		return nil, nil, errors.Join(err, responder.Close())
	}
	growBuffer(here)
	c, err := smf.Dial(smf.Config{Conn: here, CPUs: m.CPUs(), Peer: net.UDPAddrFromAddrPort(benchUPF), NodeID: benchSMF.Addr(),
		NetworkInstance: m.bench.Scenario.N4.NetworkInstance, Dialect: m.dialect()})
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
