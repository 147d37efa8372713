package tpacket

import (
	"testing"
	"time"

	"github.com/vishvananda/netlink"
)

// TestWaitWhileTheInterfaceIsDown: that the interface went down is nothing that came: each wait lasts its
// time. Once it is up again frames come as before.
func TestWaitWhileTheInterfaceIsDown(t *testing.T) {
	const rest, waits = 2 * time.Millisecond, 100 // Go's scheduler ends a wait of blocks after 10 ms
	veth(t, 1500)
	s, b := openSender(t, "a"), openBlocks(t, BlockConfig{Interface: "b"})
	p := open(t, Config{Interface: "b", MaxFrame: 2000})
	link, err := netlink.LinkByName("b")
	must(t, err)
	for story, once := range map[string]func() error{
		"blocks": func() error { return WaitBlocks(rest, b) }, "a port": func() error { return Wait(rest, p) },
	} {
		must(t, netlink.LinkSetDown(link))
		from := time.Now()
		for range waits {
			must(t, once())
		}
		if took := time.Since(from); took < waits*rest/2 { // a signal may end one early
			t.Errorf("%s: %d waits of %v while the interface is down took %v", story, waits, rest, took)
		}
		must(t, netlink.LinkSetUp(link))
	}
	untilUp(t, "a", "b")
	frame := numbered(1, 100)
	if n, err := s.Send([]Parts{inParts(frame)}); n != 1 || err != nil {
		t.Fatalf("Send took %d: %v", n, err)
	}
	if got := collect(t, b, 1); len(got) != 1 {
		t.Errorf("%d frames came to the blocks once the interface was up again", len(got))
	}
	if got := receive(t, p, 1); len(got) != 1 {
		t.Errorf("%d frames came to the port once the interface was up again", len(got))
	}
}

// untilUp waits until interfaces can send: the kernel activates them some time after they are up.
func untilUp(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		for last := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			link, err := netlink.LinkByName(name)
			must(t, err)
			if link.Attrs().OperState == netlink.OperUp {
				break
			}
			if time.Now().After(last) {
				t.Fatalf("%s is %v", name, link.Attrs().OperState)
			}
		}
	}
}
