package bench

import (
	"errors"
	"io"
	"net"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/n4load"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/socket/backlog"
)

// benchSMF and benchUPF are where upflab's SMF speaks to a responder of its own.
var (
	benchSMF = netip.MustParseAddrPort("127.0.0.1:18805")
	benchUPF = netip.MustParseAddrPort("127.0.0.2:18805")
)

// answersRoom is for answers that come while upflab has no CPU, octets.
const answersRoom = 8 << 20

// Reference gives a client whose requests a responder accepts that keeps nothing, on the
// DUT's CPU: what this SMF does by itself.
func (m *SMF) Reference() (*smf.Client, io.Closer, error) {
	there, err := m.bench.site.ListenN4(benchUPF)
	if err != nil {
		return nil, nil, err
	}
	backlog.Grow(there, answersRoom)
	responder, err := n4load.NewResponder(there, m.bench.Placement.DUT[0])
	if err != nil {
		return nil, nil, err
	}
	here, err := m.bench.site.ListenN4(benchSMF)
	if err != nil {
		return nil, nil, errors.Join(err, responder.Close())
	}
	backlog.Grow(here, answersRoom)
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
