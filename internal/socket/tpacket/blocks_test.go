package tpacket

import (
	"bytes"
	"encoding/binary"
	"net"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/socket/offload"
)

func openBlocks(t testing.TB, c BlockConfig) *Blocks {
	t.Helper()
	b, err := OpenBlocks(c)
	must(t, err)
	t.Cleanup(func() { must(t, b.Close()) })
	return b
}

func openSender(t testing.TB, name string) *Sender {
	t.Helper()
	s, err := OpenSender(name)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// inParts splits a frame as a generator would.
func inParts(frame []byte) Parts { return Parts{frame[:30], frame[30:]} }

func TestBlocksHoldWhatWasSent(t *testing.T) {
	veth(t, 9000)
	s, b := openSender(t, "a"), openBlocks(t, BlockConfig{Interface: "b", Blocks: 64})
	var sent [][]byte
	before := time.Now().UnixNano()
	for n := range 300 {
		sent = append(sent, numbered(uint32(n), []int{30, 60, 61, 1442, 9014}[n%5]))
		if k, err := s.Send([]Parts{inParts(sent[n])}); k != 1 || err != nil {
			t.Fatalf("Send took %d: %v", k, err)
		}
	}
	got := collect(t, b, len(sent))
	if len(got) != len(sent) {
		t.Fatalf("%d of %d arrived", len(got), len(sent))
	}
	for i, r := range got {
		if !bytes.Equal(r.Data, sent[i]) {
			t.Fatalf("frame %d has %d octets, want %d; % x", i, len(r.Data), len(sent[i]), r.Data[:min(len(r.Data), 20)])
		}
		if r.Realtime < before || r.Realtime > time.Now().UnixNano() {
			t.Fatalf("frame %d arrived at %d, not between sending and now", i, r.Realtime)
		}
	}
}

// collect copies what comes within a second.
func collect(t testing.TB, b *Blocks, want int) (all []Received) {
	t.Helper()
	for deadline := time.Now().Add(time.Second); len(all) < want && time.Now().Before(deadline); {
		if !b.Next() {
			must(t, WaitBlocks(10*time.Millisecond, b))
			continue
		}
		for r, ok := b.Frame(); ok; r, ok = b.Frame() {
			all = append(all, Received{bytes.Clone(r.Data), r.Realtime})
		}
		b.Release()
	}
	return all
}

// What the ring has no room for is counted: all that was sent is there or dropped.
func TestFullBlocksAreCounted(t *testing.T) {
	veth(t, 1500)
	s, b := openSender(t, "a"), openBlocks(t, BlockConfig{Interface: "b", Blocks: 2})
	const n = 2000
	for i := range n {
		_, err := s.Send([]Parts{inParts(numbered(uint32(i), 1500))})
		must(t, err)
	}
	got := uint64(len(collect(t, b, n)))
	drops, err := b.Drops()
	must(t, err)
	if got == 0 || drops == 0 || got+drops != n {
		t.Errorf("%d received and %d dropped of %d", got, drops, n)
	}
}

func TestSenderTellsWhatTheKernelRefuses(t *testing.T) {
	veth(t, 1500)
	s := openSender(t, "a")
	frames := []Parts{inParts(numbered(1, 100)), inParts(numbered(2, 1600)), inParts(numbered(3, 100))}
	if n, err := s.Send(frames); n != 1 || err != nil {
		t.Errorf("Send took %d: %v, want the first", n, err)
	}
	if n, err := s.Send(frames[1:]); n != 0 || err != unix.EMSGSIZE {
		t.Errorf("Send took %d: %v, want EMSGSIZE", n, err)
	}
	if n, err := s.Send([]Parts{{Head: numbered(4, 60)}}); n != 1 || err != nil {
		t.Errorf("a frame without a body: Send took %d: %v", n, err)
	}
}

func TestOpenBlocksRefuses(t *testing.T) {
	for _, c := range []struct {
		story  string
		config BlockConfig
	}{
		{"no interface", BlockConfig{}},
		{"one block", BlockConfig{Interface: "lo", Blocks: 1}},
		{"half a millisecond", BlockConfig{Interface: "lo", Retire: time.Millisecond / 2}},
		{"no such interface", BlockConfig{Interface: "upflab-none"}},
	} {
		if b, err := OpenBlocks(c.config); err == nil {
			b.Close()
			t.Errorf("%s: opened", c.story)
		}
	}
	if s, err := OpenSender("upflab-none"); err == nil {
		s.Close()
		t.Error("sends into no interface")
	}
}

func TestBlocksAllocateNothing(t *testing.T) {
	veth(t, 1500)
	s, b := openSender(t, "a"), openBlocks(t, BlockConfig{Interface: "b"})
	frames := []Parts{inParts(numbered(1, 1442)), inParts(numbered(2, 1442))}
	allocations := testing.AllocsPerRun(100, func() {
		s.Send(frames)
		for b.Next() {
			for _, ok := b.Frame(); ok; _, ok = b.Frame() {
			}
			b.Release()
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations for two frames", allocations)
	}
}

// TestBlocksAreCut: a veth passes on uncut what a socket sent by UDP_SEGMENT, and its checksums
// unfinished. Each datagram is to be a frame all the same, as on a wire.
func TestBlocksAreCut(t *testing.T) {
	veth(t, 1500)
	if !offload.KernelCutsUDP() {
		t.Skip("before Linux 6.2 a packet socket is not told how datagrams were joined")
	}
	a, err := netlink.LinkByName("a")
	must(t, err)
	peer, err := netlink.LinkByName("b")
	must(t, err)
	own := &net.IPNet{IP: net.IPv4(192, 0, 2, 1), Mask: net.CIDRMask(24, 32)}
	must(t, netlink.AddrAdd(a, &netlink.Addr{IPNet: own}))
	to := net.IPv4(192, 0, 2, 2)
	must(t, netlink.NeighAdd(&netlink.Neigh{LinkIndex: a.Attrs().Index, IP: to, HardwareAddr: peer.Attrs().HardwareAddr, State: netlink.NUD_PERMANENT}))
	b := openBlocks(t, BlockConfig{Interface: "b"})
	conn, err := net.DialUDP("udp4", nil, &net.UDPAddr{IP: to, Port: 2152})
	must(t, err)
	defer conn.Close()
	const size, all = 1400, 64400 // 46 datagrams: as much as an IP packet holds
	raw, err := conn.SyscallConn()
	must(t, err)
	must(t, raw.Control(func(fd uintptr) { must(t, unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_SEGMENT, size)) }))
	sent := make([]byte, all)
	for i := range sent {
		sent[i] = byte(i * 7 >> 3)
	}
	if _, err := conn.Write(sent); err != nil {
		t.Fatal(err)
	}
	got := collect(t, b, all/size)
	if len(got) != all/size {
		t.Fatalf("%d frames, want %d", len(got), all/size)
	}
	for i, r := range got {
		const ip, udp, payload = 14, 34, 42
		if !bytes.Equal(r.Data[payload:], sent[i*size:][:size]) {
			t.Fatalf("frame %d of %d octets has another payload than datagram %d", i, len(r.Data), i)
		}
		if n := binary.BigEndian.Uint16(r.Data[ip+2:]); n != 20+8+size {
			t.Errorf("frame %d: its IP packet says %d octets", i, n)
		}
		if n := binary.BigEndian.Uint16(r.Data[udp+4:]); n != 8+size {
			t.Errorf("frame %d: its datagram says %d octets", i, n)
		}
		pseudo := checksum.Sum(r.Data[ip+12:ip+20]) + checksum.Words(17, 8+size)
		if checksum.Fold(checksum.Sum(r.Data[ip:udp])) != 0xffff || checksum.Fold(pseudo+checksum.Sum(r.Data[udp:])) != 0xffff {
			t.Errorf("frame %d has a wrong checksum", i)
		}
	}
}
