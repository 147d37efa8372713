package n3

import (
	"errors"
	"net"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath/n3socket"
)

// controlBytes is more than the control messages of a datagram have.
const controlBytes = 64

// receiver reads datagrams of a socket, and the ECN field of each where the socket can tell. It works with
// an error, too, which says why the field is always 0.
func receiver(conn net.PacketConn) (receive func(in []byte) (n int, from net.Addr, ecn uint8, err error), err error) {
	udp, ok := conn.(*net.UDPConn)
	if !ok {
		return func(in []byte) (n int, from net.Addr, ecn uint8, err error) {
			n, from, err = conn.ReadFrom(in)
			return n, from, 0, err
		}, nil
	}
	control := make([]byte, controlBytes)
	return func(in []byte) (n int, from net.Addr, ecn uint8, err error) {
		n, c, _, peer, err := udp.ReadMsgUDPAddrPort(in, control)
		const mask = 3
		return n, net.UDPAddrFromAddrPort(peer), n3socket.TOS(control[:c]) & mask, err
	}, receiveTOS(udp)
}

func receiveTOS(conn *net.UDPConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var refused error
	six := addressOf(conn.LocalAddr()).Is6()
	err = raw.Control(func(fd uintptr) { refused = n3socket.ReceiveTOS(int(fd), six) })
	return errors.Join(err, refused)
}

// inject gives a G-PDU for a known tunnel back to the datapath, which left it to the kernel because its
// outer packet came in fragments. It reports whether the datapath took it.
func (e *Endpoint) inject(message []byte, from netip.Addr, ecn uint8) bool {
	if e.cfg.Inject == nil {
		return false
	}
	h, err := gtpu.Parse(message)
	if err != nil || h.Type != gtpu.GPDU || h.Unknown != 0 || !e.cfg.KnownTEID(h.TEID) || !e.cfg.Inject(message, from, ecn) {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counters.Reassembled++
	return true
}
