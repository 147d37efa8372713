package n3

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/forward"
)

// TestForwardIsMarked: what the process itself sends into a tunnel, packets that were held and
// copies, has the marking and the T-PDU's ECN field (RFC 6040 clause 4.1), or 0 in its place.
func TestForwardIsMarked(t *testing.T) {
	gnb, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer gnb.Close()
	raw, err := gnb.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_RECVTOS, 1) }); err != nil {
		t.Fatal(err)
	}
	tpdu := make([]byte, 28)
	tpdu[0], tpdu[1] = 0x45, 0x02
	for _, c := range []struct {
		noECN         bool
		marking, want byte
	}{{false, 0, 0x02}, {false, 0xb8, 0xba}, {true, 0xb8, 0xb8}} {
		upf, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		e := New(upf, Config{PeerPort: gnb.LocalAddr().(*net.UDPAddr).AddrPort().Port(), NoECN: c.noECN})
		e.Forward(forward.Tunnel{Peer: netip.MustParseAddr("127.0.0.1").As4(), TEID: 7, Marking: c.marking}, tpdu)
		var message, control [256]byte
		gnb.SetReadDeadline(time.Now().Add(10 * time.Second))
		_, n, _, _, err := gnb.ReadMsgUDP(message[:], control[:])
		if err != nil || n <= unix.SizeofCmsghdr || control[unix.SizeofCmsghdr] != c.want {
			t.Errorf("marking %#x, NoECN %v: control message %x, %v, want a type of service of %#x", c.marking, c.noECN, control[:n], err, c.want)
		}
		if n := e.Counters(); n.DataPackets != 1 || n.DataBytes != uint64(len(tpdu)) {
			t.Errorf("counted %+v, want the packet that was sent", n)
		}
		upf.Close()
	}
}

// TestReceiverSaysWhy: a socket that does not tell the congestion marks says so, and is read.
func TestReceiverSaysWhy(t *testing.T) {
	conn := listen(t)
	if _, err := receiver(conn); err != nil {
		t.Errorf("an open socket: %v", err)
	}
	conn.Close()
	receive, err := receiver(conn)
	if err == nil || receive == nil {
		t.Errorf("a closed socket: %v, want an error", err)
	}
}
