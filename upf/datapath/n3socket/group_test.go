package n3socket

import (
	"bytes"
	"encoding/binary"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/forward"
)

var (
	ours  = netip.MustParseAddr("127.0.0.1")
	gNB   = netip.MustParseAddrPort("127.0.0.2:2152")
	other = netip.MustParseAddrPort("127.0.0.3:2152")
)

func open(t testing.TB, workers int) *Group {
	t.Helper()
	livetest.Network(t)
	lo, err := netlink.LinkByName("lo")
	livetest.Must(t, err)
	livetest.Must(t, netlink.LinkSetUp(lo))
	g, err := Open(Config{Address: ours, Interface: "lo", Workers: workers})
	livetest.Must(t, err)
	t.Cleanup(func() { livetest.Must(t, g.Close()) })
	return g
}

func peer(t testing.TB, at netip.AddrPort) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	livetest.Must(t, err)
	t.Cleanup(func() { c.Close() })
	livetest.Must(t, c.SetReadBuffer(4<<20))
	return c
}

// receive waits for so many datagrams at a socket.
func receive(t testing.TB, s *Socket, want int) (all []Datagram) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); len(all) < want; {
		left := time.Until(deadline)
		fds := []unix.PollFd{{Fd: int32(s.FD()), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, int(max(left.Milliseconds(), 0))); n == 0 && left <= 0 {
			t.Fatalf("%d of %d datagrams came, %v", len(all), want, err)
		}
		n, err := s.Receive()
		livetest.Must(t, err)
		for i := range n {
			d := s.Datagram(i)
			for data := d.Data; len(data) > 0; {
				one := d
				one.Data = bytes.Clone(data[:min(d.Size, len(data))])
				all = append(all, one)
				data = data[len(one.Data):]
			}
		}
	}
	return all
}

// TestReceive: each tunnel has its worker, and the datagrams are what was sent.
func TestReceive(t *testing.T) {
	t.Run("1 worker", func(t *testing.T) { testReceive(t, 1) })
	t.Run("3 workers", func(t *testing.T) { testReceive(t, 3) })
}

func testReceive(t *testing.T, workers int) {
	g := open(t, workers)
	c := peer(t, gNB)
	for teid := range uint32(3 * 4) {
		b := gtpu.AppendGPDU(nil, teid, nil, bytes.Repeat([]byte{byte(teid)}, 100))
		_, err := c.WriteToUDPAddrPort(b, netip.AddrPortFrom(ours, gtpu.Port))
		livetest.Must(t, err)
	}
	for i, s := range g.Workers {
		for _, d := range receive(t, s, 12/workers) {
			teid := binary.BigEndian.Uint32(d.Data[4:])
			if int(teid)%workers != i || len(d.Data) != 108 || d.Data[8] != byte(teid) || d.From != gNB {
				t.Errorf("worker %d of %d got %x from %v", i, workers, d.Data, d.From)
			}
		}
	}
}

// lengths of T-PDUs in the order in which they are sent: equal ones, shorter, longer.
var lengths = []int{1400, 1400, 1400, 100, 1400, 1400, 60, 60, 1300, 1300, 1200}

// TestSend: G-PDUs arrive in order, whole and at their gNB, whether the kernel cuts
// messages or not.
func TestSend(t *testing.T) {
	t.Run("cut", func(t *testing.T) { testSend(t, false) })
	t.Run("whole", func(t *testing.T) { testSend(t, true) })
}

func testSend(t *testing.T, whole bool) {
	s := open(t, 1).Workers[0]
	s.out.batch.whole = whole
	tunnels := []*forward.Tunnel{{Peer: gNB.Addr().As4(), TEID: 1, QFI: 9}, {Peer: other.Addr().As4(), TEID: 2}}
	peers := []*net.UDPConn{peer(t, gNB), peer(t, other)}
	for i, n := range lengths {
		for k, tunnel := range tunnels {
			if !s.Add(tunnel, nil, bytes.Repeat([]byte{byte(16*k + i)}, n)) {
				t.Fatal("there is no room for so few")
			}
		}
	}
	if lost := s.Flush(); lost != 0 {
		t.Errorf("%d were lost", lost)
	}
	for k, c := range peers {
		for i, n := range lengths {
			checkNext(t, c, tunnels[k].TEID, bytes.Repeat([]byte{byte(16*k + i)}, n))
		}
	}
}

func checkNext(t testing.TB, c *net.UDPConn, teid uint32, tpdu []byte) {
	t.Helper()
	b := make([]byte, 2000)
	livetest.Must(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
	n, from, err := c.ReadFromUDPAddrPort(b)
	livetest.Must(t, err)
	h, err := gtpu.Parse(b[:n])
	if err != nil || h.TEID != teid || !bytes.Equal(h.Payload, tpdu) || from.Port() != gtpu.Port {
		t.Errorf("TEID %d, %d octets of %d from %v, %v; want TEID %d, %d of %d", h.TEID, len(h.Payload), h.Payload[0],
			from, err, teid, len(tpdu), tpdu[0])
	}
}

// TestNotCut: where the kernel refuses to cut a message its parts are sent alone.
func TestNotCut(t *testing.T) {
	g := open(t, 1)
	s := g.Workers[0]
	// A socket without checksums cannot have messages cut.
	livetest.Must(t, unix.SetsockoptInt(s.FD(), unix.SOL_SOCKET, unix.SO_NO_CHECK, 1))
	c := peer(t, gNB)
	tunnel := &forward.Tunnel{Peer: gNB.Addr().As4(), TEID: 7}
	for round := range 2 {
		for i := range 3 { // their second octets have one ECN field, as packets that are joined do
			s.Add(tunnel, nil, bytes.Repeat([]byte{byte(4 * i)}, 50))
		}
		if lost := s.Flush(); lost != 0 || !s.out.batch.whole {
			t.Errorf("round %d: %d were lost; whole: %v", round, lost, s.out.batch.whole)
		}
		for i := range 3 {
			checkNext(t, c, 7, bytes.Repeat([]byte{byte(4 * i)}, 50))
		}
	}
}

// TestFull: when no more runs can wait, Add says so, and nothing is lost.
func TestFull(t *testing.T) {
	g := open(t, 1)
	s := g.Workers[0]
	c := peer(t, gNB)
	tunnel := &forward.Tunnel{Peer: gNB.Addr().As4(), TEID: 7}
	sent := 0
	for s.Add(tunnel, nil, make([]byte, 20+sent)) { // each longer than the one before: a run each
		sent++
	}
	if lost := s.Flush(); sent != runsMax || lost != 0 {
		t.Errorf("%d waited, %d were lost", sent, lost)
	}
	for i := range sent {
		checkNext(t, c, 7, make([]byte, 20+i))
	}
}
