package xsk_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/socket/xsk"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// open opens a sender at N6 of a network of the test's own.
func open(t *testing.T) *xsk.Sender {
	t.Helper()
	livetest.Network(t)
	s, err := xsk.OpenSender("n6", 0)
	livetest.Must(t, err)
	t.Cleanup(func() { livetest.Must(t, s.Close()) })
	return s
}

// beyond receives at the link's other end.
func beyond(t *testing.T) *tpacket.Port {
	t.Helper()
	p, err := tpacket.Open(tpacket.Config{Interface: "n6p", Frames: 8192})
	livetest.Must(t, err)
	t.Cleanup(func() { livetest.Must(t, p.Close()) })
	return p
}

// numbered is a frame of an experimental Ethertype, in two pieces, that holds its number.
func numbered(n, length int) [][]byte {
	head := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}
	body := bytes.Repeat([]byte{byte(n)}, length-len(head))
	binary.BigEndian.PutUint32(body, uint32(n))
	return [][]byte{head, body}
}

// arrived are the frames of numbered that have come, until none does for a while.
func arrived(t *testing.T, p *tpacket.Port) (list [][]byte) {
	t.Helper()
	for {
		f := p.Next()
		if f == nil {
			livetest.Must(t, tpacket.Wait(100*time.Millisecond, p))
			if f = p.Next(); f == nil {
				return list
			}
		}
		if f[12] == 0x88 && f[13] == 0xb5 {
			list = append(list, bytes.Clone(f))
		}
		p.Release()
	}
}

func length(n int) int { return 60 + n*37%1455 }

// TestSenderKeepsOrder: frames of all lengths, of which more are sent than there are chunks,
// arrive as they were put and in that order, however many there are between two calls.
func TestSenderKeepsOrder(t *testing.T) {
	s := open(t)
	p := beyond(t)
	const frames = 6000
	for n, burst := 0, 1; n < frames; burst = burst%64 + 1 {
		for range min(burst, frames-n) {
			if !s.Put(numbered(n, length(n))) {
				t.Fatalf("no room for frame %d", n)
			}
			n++
		}
		if dropped := s.Flush(); dropped != 0 || s.Waiting() {
			t.Fatalf("after frame %d: %d dropped, waiting %v", n, dropped, s.Waiting())
		}
	}
	list := arrived(t, p)
	if len(list) != frames {
		t.Fatalf("%d frames arrived, want %d", len(list), frames)
	}
	for n, f := range list {
		if want := bytes.Join(numbered(n, length(n)), nil); !bytes.Equal(f, want) {
			t.Fatalf("frame %d is % x, want % x", n, f[:min(len(f), 40)], want[:40])
		}
	}
}

// TestSenderAllocatesNothing: nor does it when there is nothing to send.
func TestSenderAllocatesNothing(t *testing.T) {
	s := open(t)
	frame := numbered(0, 200)
	if n := testing.AllocsPerRun(1000, func() {
		s.Put(frame)
		s.Flush()
		s.Flush()
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// TestSenderFits: a frame as long as the link takes fits, with a VLAN tag; one longer than a
// chunk does not.
func TestSenderFits(t *testing.T) {
	livetest.Network(t)
	link, err := netlink.LinkByName("n6")
	livetest.Must(t, err)
	for mtu, most := range map[int]int{1500: 2048, 3400: 4096} {
		livetest.Must(t, netlink.LinkSetMTU(link, mtu))
		s, err := xsk.OpenSender("n6", 0)
		livetest.Must(t, err)
		if !s.Fits(mtu+18) || !s.Fits(most) || s.Fits(most+1) {
			t.Errorf("MTU %d: a frame of %d fits: %v, of %d: %v, of %d: %v", mtu, mtu+18, s.Fits(mtu+18), most, s.Fits(most), most+1, s.Fits(most+1))
		}
		livetest.Must(t, s.Close())
	}
}

// TestSenderWithoutCarrier: what goes to a link whose other end is down is dropped, and counted.
func TestSenderWithoutCarrier(t *testing.T) {
	s := open(t)
	p := beyond(t)
	set(t, "n6p", netlink.LinkSetDown)
	const frames = 100
	for n := range frames {
		s.Put(numbered(n, 100))
	}
	if dropped := s.Flush(); dropped != frames || s.Waiting() {
		t.Errorf("%d of %d dropped, waiting %v", dropped, frames, s.Waiting())
	}
	set(t, "n6p", netlink.LinkSetUp)
	worksAgain(t, s, p)
}

// TestSenderDown: of an interface that is down nothing is waited for, and what it does not take
// fills the memory; once it is up, what is put then leaves.
func TestSenderDown(t *testing.T) {
	s := open(t)
	p := beyond(t)
	set(t, "n6", netlink.LinkSetDown)
	var refused, dropped int
	for n := range 4000 {
		if !s.Put(numbered(n, 100)) {
			refused++
		}
		if n%100 == 99 {
			dropped += int(s.Flush())
		}
		if s.Waiting() {
			t.Fatalf("after %d frames the interface may have room soon", n+1)
		}
	}
	if refused+dropped < 4000-2048 {
		t.Errorf("%d frames found no room and %d were dropped; there is memory for 2048 of 4000", refused, dropped)
	}
	set(t, "n6", netlink.LinkSetUp)
	s.Flush()
	worksAgain(t, s, p)
}

func set(t *testing.T, name string, change func(netlink.Link) error) {
	t.Helper()
	link, err := netlink.LinkByName(name)
	livetest.Must(t, err)
	livetest.Must(t, change(link))
}

// worksAgain sends a frame until it arrives: a link takes a moment to come up.
func worksAgain(t *testing.T, s *xsk.Sender, p *tpacket.Port) {
	t.Helper()
	const again = 77_777
	for range 50 {
		s.Put(numbered(again, 100))
		s.Flush()
		for _, f := range arrived(t, p) {
			if binary.BigEndian.Uint32(f[14:]) == again {
				return
			}
		}
	}
	t.Error("nothing is sent once the link is up again")
}

// TestOpenSenderRefuses: a queue that is taken, or that is not there, and an interface that is not.
func TestOpenSenderRefuses(t *testing.T) {
	s := open(t)
	for _, c := range []struct {
		name  string
		queue int
		want  error
	}{{"n6", 0, unix.EBUSY}, {"n6", 64, unix.EINVAL}, {"upflab-none", 0, nil}} {
		other, err := xsk.OpenSender(c.name, c.queue)
		if err == nil {
			other.Close()
		}
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("queue %d of %s: %v, want %v", c.queue, c.name, err, c.want)
		}
	}
	livetest.Must(t, s.Close())
	again, err := xsk.OpenSender("n6", 0) // the kernel frees the queue a little later
	livetest.Must(t, err)
	*s = *again // which the test's end closes
}
