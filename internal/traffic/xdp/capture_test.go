package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// capture records what arrives at a port, by a packet socket. It needs a program
// on the port, or the frames do not reach it: the sink's pass.
type capture struct{ fd int }

func openCapture(t *testing.T, p netdev.Port) *capture {
	t.Helper()
	var o sinkObjects
	if err := loadSinkObjects(&o, nil); err != nil {
		t.Fatal(err)
	}
	c := &capture{}
	var l link.Link
	err := p.NS.Do(func() (err error) {
		// Or the kernel would send frames for UEs back to where they came from.
		if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("0"), 0); err != nil {
			return err
		}
		l, err = link.AttachXDP(link.XDPOptions{Program: o.Pass, Interface: p.Index, Flags: link.XDPDriverMode})
		if err == nil {
			c.fd, err = packetSocket(p.Index)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Close(c.fd)
		l.Close()
		o.Close()
	})
	return c
}

func packetSocket(device int) (int, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	timeout := unix.NsecToTimeval(int64(200 * time.Millisecond))
	return fd, errors.Join(
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: swap16(unix.ETH_P_ALL), Ifindex: device}))
}

// frames are all that have arrived; it returns after 200 ms of silence.
func (c *capture) frames(t *testing.T) (list [][]byte) {
	t.Helper()
	for {
		b := make([]byte, 2048)
		n, _, err := unix.Recvfrom(c.fd, b, 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return list
		case err != nil:
			t.Fatal(err)
		}
		list = append(list, b[:n])
	}
}

// signatureOf reads a signature: little-endian, 32 bytes.
type signatureOf struct {
	Magic, Trial        uint16
	Stream              uint32
	Seq, Intended, Sent uint64
}

func readSignature(t *testing.T, b []byte) (s signatureOf) {
	t.Helper()
	if err := binary.Read(bytes.NewReader(b), binary.LittleEndian, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// onesComplement is RFC 1071 as it stands there: 0 when a checksum is right.
func onesComplement(b []byte) uint16 {
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		word := uint32(b[i]) << 8
		if i+1 < len(b) {
			word |= uint32(b[i+1])
		}
		sum += word
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}

// udpFault is what is wrong with the UDP checksum of an IP packet; 0: nothing.
func udpFault(packet []byte) uint16 {
	udp, b := packet[20:], append([]byte{}, packet[12:20]...)
	if packet[0]>>4 == 6 {
		udp, b = packet[40:], append([]byte{}, packet[8:40]...)
	}
	b = append(b, 0, 17)
	b = binary.BigEndian.AppendUint16(b, uint16(len(udp)))
	return onesComplement(append(b, udp...))
}
