package afpacket

import (
	"testing"
	"time"

	"github.com/vishvananda/netlink"
)

// TestWaitWhileTheInterfaceIsDown: that the interface went down is nothing that came: each wait lasts its
// time. Once it is up again frames come as before.
func TestWaitWhileTheInterfaceIsDown(t *testing.T) {
	const rest, waits = 20 * time.Millisecond, 10
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
