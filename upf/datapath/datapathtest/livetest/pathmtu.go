package livetest

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// PathMTU has a router behind N3 send a Packet Too Big about the tunnel over IPv6: the datapath,
// whose address there is datapathtest.N3Address6, sends no more G-PDUs that are longer.
func PathMTU(t *testing.T, d datapath.Datapath) {
	l := NewLab(t, d)
	Must(t, d.Apply([]datapath.Change{{New: datapathtest.OuterSession()}}))
	if !sentByKernel(d) {
		endpoint(t) // without one the kernel takes no word about its packets
	}
	var big, small datapathtest.Frame
	for _, f := range datapathtest.OuterFrames(t) {
		switch f.Name {
		case "downlink, largest for the mtu":
			big = f
		case "downlink ipv6":
			small = f
		}
	}
	send := func(f datapathtest.Frame) []byte {
		_, err := l.N6.Send([][]byte{f.Input(t)})
		Must(t, err)
		return Next(t, l.N3)
	}
	if got := send(big); !slices.Equal(blind6(d, got), blind6(d, big.Output(t))) {
		t.Fatalf("before, sent\n%x", got)
	}
	_, err := l.N3.Send([][]byte{packetTooBig(big.Output(t), 1400)})
	Must(t, err)
	before := tooBig(t, d)
	until(t, "packets that do not fit the path are sent on", func() bool {
		_, err := l.N6.Send([][]byte{big.Input(t)})
		Must(t, err)
		return tooBig(t, d) != before
	})
	_, err = l.N6.Send([][]byte{small.Input(t)})
	Must(t, err)
	for deadline := time.Now().Add(10 * time.Second); ; {
		if got := Next(t, l.N3); slices.Equal(blind6(d, got), blind6(d, small.Output(t))) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a packet that fits the path is not sent on")
		}
	}
}

// endpoint is what the UPF has at N3's port.
func endpoint(t *testing.T) {
	c := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(fd uintptr) { failed = unix.SetsockoptString(int(fd), unix.SOL_SOCKET, unix.SO_BINDTODEVICE, "n3") })
		return errors.Join(err, failed)
	}}
	conn, err := c.ListenPacket(context.Background(), "udp6", "["+datapathtest.N3Address6.String()+"]:2152")
	Must(t, err)
	t.Cleanup(func() { conn.Close() })
}

func tooBig(t *testing.T, d datapath.Datapath) uint64 {
	c, err := d.Counters()
	Must(t, err)
	return c.Drops[datapath.ReasonTooBig]
}

// packetTooBig is what a gNB's router answers a frame with that it cannot send on (RFC 4443
// clause 3.2).
func packetTooBig(frame []byte, mtu uint32) []byte {
	const quoted = 1280 - 40 - 8
	ip := frame[14:]
	icmp := append(binary.BigEndian.AppendUint32([]byte{2, 0, 0, 0}, mtu), ip[:min(len(ip), quoted)]...)
	b := append(slices.Clone(frame[6:12]), frame[:6]...)
	b = append(b, 0x86, 0xdd, 0x60, 0, 0, 0, byte(len(icmp)>>8), byte(len(icmp)), 58, 64)
	b = append(append(b, ip[24:40]...), ip[8:24]...)
	sum := checksum.Sum(b[22:54]) + checksum.Words(58, uint16(len(icmp))) + checksum.Sum(icmp)
	checksum.Put(icmp[2:], checksum.Finish(sum))
	return append(b, icmp...)
}
