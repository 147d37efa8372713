package n3

import (
	"net"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath/n3socket"
)

// controlBytes is more than the control messages of a datagram have.
const controlBytes = 64

// receiver reads datagrams of a socket, and the ECN field of each where the socket can tell.
func receiver(conn net.PacketConn) func(in []byte) (n int, from net.Addr, ecn uint8, err error) {
	udp, ok := conn.(*net.UDPConn)
	if !ok {
		return func(in []byte) (n int, from net.Addr, ecn uint8, err error) {
			n, from, err = conn.ReadFrom(in)
			return n, from, 0, err
		}
	}
	if raw, err := udp.SyscallConn(); err == nil {
		six := addressOf(udp.LocalAddr()).Is6()
		_ = raw.Control(func(fd uintptr) { _ = n3socket.ReceiveTOS(int(fd), six) }) // without it the field is 0
	}
	control := make([]byte, controlBytes)
	return func(in []byte) (n int, from net.Addr, ecn uint8, err error) {
		n, c, _, peer, err := udp.ReadMsgUDPAddrPort(in, control)
		const mask = 3
		return n, net.UDPAddrFromAddrPort(peer), n3socket.TOS(control[:c]) & mask, err
	}
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
