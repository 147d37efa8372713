package lab

import (
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/socket/backlog"
)

// dialStranger opens the second SMF's socket. For a UPF that
// runs elsewhere it has the SMF's address and a free port.
func (l *Lab) dialStranger() (conn net.PacketConn, node netip.Addr, own bool, err error) {
	n4 := &l.Scenario.N4
	if !l.Owns() {
		conn, err = l.Site().ListenN4(netip.AddrPortFrom(n4.SMF, 0))
		return conn, n4.SMF, false, err
	}
	if node = l.net.Stranger; !node.IsValid() {
		return nil, node, false,
			fail.Inapplicable("%s/%d has no address for a second SMF; a shorter n4.prefix gives room", n4.SMF,
				n4.Prefix)
	}
	port := l.Site().Links().SMFN4
	if err := port.AddAddress(node); err != nil {
		return nil, node, false, err
	}
	conn, err = l.Site().ListenN4(netip.AddrPortFrom(node, pfcp.Port))
	roomy(conn)
	return conn, node, true, err
}

// footprint measures all processes of the UPF together.
func (l *Lab) footprint() (f behaviour.Footprint, err error) {
	for _, pid := range l.Instance().PIDs() {
		n, err := telemetry.ResidentBytes(pid)
		if err != nil {
			return f, err
		}
		f.Octets += n
		f.Threads += count(fmt.Sprintf("/proc/%d/task", pid))
		f.Files += count(fmt.Sprintf("/proc/%d/fd", pid))
	}
	return f, nil
}

// unread counts the datagrams for which a UDP socket in the UPF's namespace
// had no room.
func (l *Lab) unread() (n uint64, err error) {
	if !l.Owns() {
		return 0, nil
	}
	drops, err := telemetry.KernelDrops(l.Site().Links().UPFN4.NS)
	for _, d := range drops {
		if d.Place == telemetry.SocketFull {
			n += d.Packets
		}
	}
	return n, err
}

// roomy gives a socket of the tester a buffer that holds the answers to many messages.
func roomy(conn net.PacketConn) {
	udp, is := conn.(*net.UDPConn)
	if !is {
		return
	}
	backlog.Grow(udp, 32<<20)
}

func count(folder string) int {
	list, _ := os.ReadDir(folder) // none of a process that has ended
	return len(list)
}
