package xdp

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
)

// TestWatch counts packets of a tunnel and of a UE from outside, and those dropped, with
// XDP in both modes.
func TestWatch(t *testing.T) {
	for _, mode := range []Mode{Native, Generic} {
		t.Run(string(mode), func(t *testing.T) {
			cfg := labConfig()
			cfg.Mode = mode
			l := newLab(t, cfg)
			must(t, "Apply", l.dp.Apply(additions(frameSessions())))
			gnb, dn := openTap(t, "n3p"), openTap(t, "n6p")
			up, upOut := liveFrame(t, "n3 psc")
			down, downOut := liveFrame(t, "n6 qfi")
			w, err := l.dp.look.Watch()
			must(t, "Watch", err)
			defer w.Close()
			for range 3 {
				gnb.send(t, up)
				dn.expect(t, "the uplink packet", exactly(upOut))
			}
			l.zero(t)
			dn.send(t, down)
			gnb.expect(t, "the downlink packet", exactly(downOut))
			all, err := w.Counts()
			must(t, "Counts", err)
			var packets, octets uint64
			for k, c := range all {
				if c.Dropped > 0 {
					t.Errorf("%v: %+v", k, c)
				}
				packets, octets = packets+c.Packets, octets+c.Octets
			}
			if len(all) != 2 || packets != 4 || octets != uint64(3*len(up)+len(down)) {
				t.Errorf("counted %+v", all)
			}
		})
	}
}

// TestWatchEnds: nothing stays when the watch ends, and packets go on.
func TestWatchEnds(t *testing.T) {
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	gnb, dn := openTap(t, "n3p"), openTap(t, "n6p")
	in, out := liveFrame(t, "n3 psc")
	for range 3 {
		w, err := l.dp.look.Watch()
		must(t, "Watch", err)
		gnb.send(t, in)
		dn.expect(t, "a packet", exactly(out))
		if all, _ := w.Counts(); len(all) != 1 {
			t.Errorf("counted %+v", all)
		}
		must(t, "Close", w.Close())
	}
	gnb.send(t, in)
	dn.expect(t, "a packet", exactly(out))
}

// TestWatchSlow: a packet that is left to the kernel, which resolves its next hop, is not dropped, and
// leaves.
func TestWatchSlow(t *testing.T) {
	l := newLab(t, labConfig())
	slow := slowPackets(l.dp)
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	_, dn := openTap(t, "n3p"), openTap(t, "n6p")
	in, _ := liveFrame(t, "n6 unresolved gnb")
	w, err := l.dp.look.Watch()
	must(t, "Watch", err)
	dn.send(t, in)
	next(t, "the packet", slow)
	all, err := w.Counts()
	must(t, "Counts", err)
	must(t, "Close", w.Close())
	for k, c := range all {
		if c.Packets != 1 || c.Dropped != 0 {
			t.Errorf("%v: %+v, want a packet that is not dropped", k, c)
		}
	}
	if len(all) != 1 {
		t.Errorf("counted %+v", all)
	}
	seen := make(chan datapath.Seen, 10)
	c, err := l.dp.look.Capture([]datapath.WatchKey{{UE: netip.MustParseAddr("10.45.0.8")}}, func(s datapath.Seen) { seen <- s })
	must(t, "Capture", err)
	dn.send(t, in)
	next(t, "the packet as it arrives", seen)
	if s := next(t, "the packet as it leaves", seen); s.Dropped || !s.Out || s.N6 {
		t.Errorf("seen %+v, want it to leave by N3", s)
	}
	must(t, "Close", c.Close())
}
