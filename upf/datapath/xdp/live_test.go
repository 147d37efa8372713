package xdp

import (
	"bytes"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/ethtool"
	"github.com/upflab/upflab/internal/text/wait"
)

// tap is a raw socket on an interface: the gNB, or the data network.
type tap struct{ fd int }

// openTap also turns GRO on, without which a veth drops what is redirected to
// its other end.
func openTap(t testing.TB, name string) *tap {
	t.Helper()
	must(t, "GRO on "+name, ethtool.SetFeatures(name, map[string]bool{"rx-gro": true}))
	ifc, err := net.InterfaceByName(name)
	must(t, "find "+name, err)
	all := uint16(unix.ETH_P_ALL)>>8 | uint16(unix.ETH_P_ALL)<<8
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(all))
	must(t, "open a raw socket", err)
	t.Cleanup(func() { unix.Close(fd) })
	must(t, "bind it", unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: ifc.Index}))
	wait := unix.NsecToTimeval(int64(20 * time.Millisecond))
	must(t, "set its timeout", unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait))
	return &tap{fd}
}

func (p *tap) send(t testing.TB, frame []byte) {
	t.Helper()
	_, err := unix.Write(p.fd, frame)
	must(t, "send", err)
}

// expect waits for a frame from the other end that has the look.
func (p *tap) expect(t testing.TB, what string, look func([]byte) bool) {
	t.Helper()
	buf := make([]byte, 4096)
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		n, from, err := unix.Recvfrom(p.fd, buf, 0)
		if err != nil {
			continue
		}
		if ll, ok := from.(*unix.SockaddrLinklayer); ok && ll.Pkttype != unix.PACKET_OUTGOING && look(buf[:n]) {
			return
		}
	}
	t.Fatalf("%s did not come", what)
}

// saw is whether a frame with the look is among those that wait.
func (p *tap) saw(look func([]byte) bool) bool {
	buf := make([]byte, 4096)
	for {
		n, from, err := unix.Recvfrom(p.fd, buf, unix.MSG_DONTWAIT)
		if err != nil {
			return false
		}
		if ll, ok := from.(*unix.SockaddrLinklayer); ok && ll.Pkttype != unix.PACKET_OUTGOING && look(buf[:n]) {
			return true
		}
	}
}

// answerARP answers the first broadcast request for the address; who asks the old
// MAC address gets no answer.
func (p *tap) answerARP(address net.IP, mac []byte, patience time.Duration) {
	asks, buf := arpFor(address), make([]byte, 4096)
	for end := time.Now().Add(patience); time.Now().Before(end); {
		n, _, err := unix.Recvfrom(p.fd, buf, 0)
		if err != nil || !asks(buf[:n]) || buf[0] != 0xff || buf[21] != 1 {
			continue
		}
		reply := slices.Clone(buf[:42])
		copy(reply, buf[6:12])
		copy(reply[6:], mac)
		reply[21] = 2
		copy(reply[22:], mac)
		copy(reply[28:], buf[38:42])
		copy(reply[32:], buf[22:32])
		unix.Write(p.fd, reply)
		return
	}
}

func exactly(want []byte) func([]byte) bool {
	return func(got []byte) bool { return bytes.Equal(got, want) }
}

func arpFor(address net.IP) func([]byte) bool {
	return func(got []byte) bool {
		return len(got) >= 42 && got[12] == 8 && got[13] == 6 && bytes.Equal(got[38:42], address.To4())
	}
}

// liveFrame is the frame of that name and what comes of it.
func liveFrame(t testing.TB, name string) (in, out []byte) {
	t.Helper()
	for _, f := range readFrames(t) {
		if f.Name == name {
			return octets(t, f.Frame), octets(t, f.Out)
		}
	}
	t.Fatalf("no frame %q", name)
	return nil, nil
}

// TestLive sends frames through the interfaces, in each mode.
func TestLive(t *testing.T) {
	for _, mode := range []Mode{Native, Generic, Auto} {
		t.Run(string(mode), func(t *testing.T) {
			cfg := labConfig()
			cfg.Mode = mode
			l := newLab(t, cfg)
			must(t, "Apply", l.dp.Apply(additions(frameSessions())))
			gnb, dn := openTap(t, "n3p"), openTap(t, "n6p")
			up, upOut := liveFrame(t, "n3 psc")
			gnb.send(t, up)
			dn.expect(t, "the uplink packet", exactly(upOut))
			down, downOut := liveFrame(t, "n6 qfi")
			l.zero(t)
			dn.send(t, down)
			gnb.expect(t, "the downlink packet", exactly(downOut))
		})
	}
}

// TestNeighbourChanges follows a data network that changes its MAC address.
func TestNeighbourChanges(t *testing.T) {
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	gnb, dn := openTap(t, "n3p"), openTap(t, "n6p")
	in, out := liveFrame(t, "n3 psc")
	gnb.send(t, in)
	dn.expect(t, "a packet to the old address", exactly(out))
	addNeighbour(t, "n6", "198.51.100.2", "02:00:00:00:06:03")
	copy(out, []byte{2, 0, 0, 0, 6, 3})
	arrives := func() bool { gnb.send(t, in); return dn.saw(exactly(out)) }
	if !wait.Until(3*time.Second, 20*time.Millisecond, arrives) {
		t.Fatal("no packet reached the new address in 3 s")
	}
}

// TestNextHopChangesSilently has the data network's MAC address change with no
// word about it, as after a takeover without gratuitous ARP: the entry of the old
// one must be probed and found wrong, although no packet of the kernel's uses it.
func TestNextHopChangesSilently(t *testing.T) {
	cfg := labConfig()
	cfg.probeEvery = 100 * time.Millisecond
	l := newLab(t, cfg)
	must(t, "probe fast", os.WriteFile("/proc/sys/net/ipv4/neigh/n6/retrans_time_ms", []byte("50"), 0))
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	setNeighbour(t, "n6", "198.51.100.2", "02:00:00:00:06:02", netlink.NUD_STALE)
	gnb, dn := openTap(t, "n3p"), openTap(t, "n6p")
	in, out := liveFrame(t, "n3 psc")
	gnb.send(t, in)
	dn.expect(t, "a packet to the old address", exactly(out))
	answering := make(chan struct{})
	go func() {
		defer close(answering)
		dn.answerARP(net.IPv4(198, 51, 100, 2), []byte{2, 0, 0, 0, 6, 3}, 8*time.Second)
	}()
	copy(out, []byte{2, 0, 0, 0, 6, 3})
	watch := openTap(t, "n6p")
	arrives := func() bool { gnb.send(t, in); return watch.saw(exactly(out)) }
	if !wait.Until(8*time.Second, 20*time.Millisecond, arrives) {
		t.Fatal("no packet reached the new address in 8 s")
	}
	<-answering
}

// TestNeighbourResolved has the kernel ask for neighbours that it does not know,
// on either side.
func TestNeighbourResolved(t *testing.T) {
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	gnb, dn := openTap(t, "n3p"), openTap(t, "n6p")
	up, _ := liveFrame(t, "n3 neighbour not resolved")
	gnb.send(t, up)
	dn.expect(t, "ARP for the data network", arpFor(net.IPv4(198, 51, 100, 77)))
	down, _ := liveFrame(t, "n6 unresolved gnb")
	dn.send(t, down)
	gnb.expect(t, "ARP for the gNB", arpFor(net.IPv4(192, 0, 2, 77)))
}
