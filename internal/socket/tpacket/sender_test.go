package tpacket

import (
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// A TAP device takes so many frames, and drops what comes then: it is told for each frame,
// none is sent a second time, and the interface has counted as many.
func TestSenderTellsWhatTheDriverDrops(t *testing.T) {
	const taken, frames = 4, 10
	veth(t, 1500)
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "tap"
	tap := &netlink.Tuntap{LinkAttrs: attrs, Mode: netlink.TUNTAP_MODE_TAP, Flags: netlink.TUNTAP_NO_PI, Queues: 1}
	must(t, netlink.LinkAdd(tap))
	file := tap.Fds[0]
	defer file.Close()
	must(t, netlink.LinkSetTxQLen(tap, taken))
	must(t, netlink.LinkSetUp(tap))
	s := openSender(t, "tap")
	var batch []Parts
	for n := range frames {
		batch = append(batch, inParts(numbered(uint32(n), 100)))
	}
	if n, err := s.Send(batch); n != taken || err != unix.ENOBUFS {
		t.Errorf("Send took %d: %v, want %d and ENOBUFS", n, err, taken)
	}
	for dropped := taken + 1; dropped < frames; dropped++ {
		if n, err := s.Send(batch[dropped:]); n != 0 || err != unix.ENOBUFS {
			t.Errorf("Send took %d: %v, want 0 and ENOBUFS", n, err)
		}
	}
	link, err := netlink.LinkByName("tap")
	must(t, err)
	if got := link.Attrs().Statistics.TxDropped; got != frames-taken {
		t.Errorf("the device has dropped %d, want %d", got, frames-taken)
	}
}

// More than the send buffer holds is not handed over: nothing is lost, and what is left
// is taken when there is room again.
func TestSenderKeepsToItsSendBuffer(t *testing.T) {
	veth(t, 1500)
	s, b := openSender(t, "a"), openBlocks(t, BlockConfig{Interface: "b", Blocks: 64})
	must(t, unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 8000)) // the kernel doubles it
	must(t, s.room.init(s.fd))
	const frames = 60
	var batch []Parts
	for n := range frames {
		batch = append(batch, inParts(numbered(uint32(n), 1442)))
	}
	for left := batch; len(left) > 0; {
		n, err := s.Send(left)
		if err != nil || n > 16000/1442 {
			t.Fatalf("Send took %d: %v", n, err)
		}
		left = left[n:]
	}
	if got := len(collect(t, b, frames)); got != frames {
		t.Errorf("%d of %d arrived", got, frames)
	}
	s.room.size, s.room.free = 1000, 0
	if n, err := s.Send(batch); n != 0 || err != unix.EAGAIN {
		t.Errorf("without room Send took %d: %v, want EAGAIN", n, err)
	}
}
