package telemetry_test

import (
	"net/netip"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/telemetry"
)

// smallSocket is a packet socket of this process, on N3 of the UPF, that holds few packets.
func smallSocket(t *testing.T, tb site.Site) int {
	t.Helper()
	var fd int
	err := tb.UPF().Do(func() (err error) {
		const all = unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8 // network byte order
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0); err != nil {
			return err
		}
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 4096); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: tb.Links().UPFN3.Index})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// held reads what the socket has, without waiting.
func held(fd int) (n int) {
	for b := make([]byte, 2000); ; n++ {
		if _, _, err := unix.Recvfrom(fd, b, unix.MSG_DONTWAIT); err != nil {
			return n
		}
	}
}

func TestPacketSockets(t *testing.T) {
	tb := sitetest.Build(t)
	fd := smallSocket(t, tb)
	sockets, err := telemetry.OpenPacketSockets(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer sockets.Close()
	const sent = 100
	conn, err := tb.RAN.Dial(t.Context(), "udp", netip.AddrPortFrom(tb.Links().UPFN3.Addr, 9).String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range sent {
		conn.Write(make([]byte, 1000)) // may fail: the port is closed
	}
	time.Sleep(100 * time.Millisecond) // the last are received
	var lost map[int]uint64
	for range 2 { // a second question does not begin anew
		if lost, err = sockets.Lost(); err != nil {
			t.Fatal(err)
		}
	}
	got := held(fd)
	if n := lost[tb.Links().UPFN3.Index]; got == 0 || n == 0 || int(n)+got < sent {
		t.Errorf("of %d packets %d were held and %d lost", sent, got, n)
	}
	if _, ok := lost[tb.Links().UPFN6.Index]; ok {
		t.Error("N6 has a packet socket")
	}
}

func TestPacketSocketsErrors(t *testing.T) {
	sitetest.Privileged(t)
	if _, err := telemetry.OpenPacketSockets(1 << 22); err == nil {
		t.Error("a process that is not there has packet sockets")
	}
	none, err := telemetry.OpenPacketSockets(os.Getpid()) // has none
	if err != nil {
		t.Fatal(err)
	}
	if lost, err := none.Lost(); err != nil || len(lost) != 0 {
		t.Errorf("we lost %v, %v", lost, err)
	}
}
