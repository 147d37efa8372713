package afpacket

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/socket/xsk"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// byXDP reports whether the first worker sends single frames by AF_XDP out of N3 and N6.
func byXDP(d *Datapath) (n3, n6 bool) {
	w := d.workers[0]
	return w.batches.out.frames != nil, w.flows.out.frames != nil
}

// TestSendsByXDP: where nothing speaks against it.
func TestSendsByXDP(t *testing.T) {
	livetest.Network(t)
	d := openHere(t, config(1))
	if n3, n6 := byXDP(d); !n3 || !n6 || len(d.Remarks()) != 0 {
		t.Errorf("single frames leave by AF_XDP at N3: %v, at N6: %v; %v", n3, n6, d.Remarks())
	}
}

// TestQueueTaken: when another program has the queue, packet sockets send all.
func TestQueueTaken(t *testing.T) {
	livetest.Network(t)
	other, err := xsk.OpenSender("n6", 0)
	livetest.Must(t, err)
	defer other.Close()
	d := openHere(t, config(1))
	if n3, n6 := byXDP(d); !n3 || n6 {
		t.Errorf("single frames leave by AF_XDP at N3: %v, at N6, whose queue is taken: %v", n3, n6)
	}
	if got := fmt.Sprint(d.Remarks()); !strings.Contains(got, "1 of 1 workers") || !strings.Contains(got, "queue 0 of n6") {
		t.Errorf("the remarks are %s", got)
	}
	livetest.Forwarding(t, d)
}

// TestDiscipline: nothing passes by a queueing discipline that somebody set up.
func TestDiscipline(t *testing.T) {
	livetest.Network(t)
	link, err := netlink.LinkByName("n6")
	livetest.Must(t, err)
	livetest.Must(t, netlink.QdiscAdd(&netlink.PfifoFast{QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link.Attrs().Index,
		Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT}}))
	livetest.Must(t, mayBypass("n6")) // the kernel's own
	livetest.Must(t, netlink.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link.Attrs().Index,
		Handle: netlink.MakeHandle(2, 0), Parent: netlink.HANDLE_ROOT}, QdiscType: "pfifo"}))
	d := openHere(t, config(1))
	if n3, n6 := byXDP(d); !n3 || n6 {
		t.Errorf("single frames leave by AF_XDP at N3: %v, at N6, past a pfifo: %v", n3, n6)
	}
	livetest.Forwarding(t, d)
}

// TestWatchedExit: while a capture runs single frames leave by packet sockets, and so does at any
// time what the kernel cuts.
func TestWatchedExit(t *testing.T) {
	livetest.Network(t)
	var watched atomic.Int32
	x, err := openExit("n6", 0, &watched)
	livetest.Must(t, err)
	defer x.close()
	frame := tpacket.Run{Pieces: [][]byte{make([]byte, 100)}}
	cut := frame
	cut.Offload[0] = 1
	for captures, want := range []int{2, 0, 0} {
		watched.Store(int32(captures))
		if n, lost := x.single([]tpacket.Run{frame, frame, cut, frame}); n != want || lost != 0 {
			t.Errorf("%d captures: %d frames leave by AF_XDP, %d lost; want %d", captures, n, lost, want)
		}
	}
}
