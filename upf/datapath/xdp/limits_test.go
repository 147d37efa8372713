package xdp

import (
	"errors"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/xdp/inject"
	"github.com/upflab/upflab/upf/session"
)

// TestPuntLimit floods the uplink with an unknown TEID: about a hundred a second
// are passed to user space, all are counted as dropped.
func TestPuntLimit(t *testing.T) {
	l := newLab(t, labConfig())
	in, _ := liveFrame(t, "n3 unknown teid")
	const flood = 1000
	passed, start := 0, time.Now()
	for range flood {
		if verdict, _ := l.run(t, "n3", in); verdict == xdpPass {
			passed++
		}
	}
	windows := int(time.Since(start).Seconds()) + 2 // it need not begin with one
	if passed < 100 || passed > 100*windows {
		t.Errorf("%d of %d passed in %d windows, want 100 in each", passed, flood, windows)
	}
	c, err := l.dp.Counters()
	must(t, "Counters", err)
	if n := c.Drops[datapath.ReasonUnknownTEID]; n != flood {
		t.Errorf("%d counted, want %d", n, flood)
	}
}

// TestPuntSharesAreApart floods from one gNB, with G-PDUs for no tunnel and with
// Echo Requests: another gNB still has both answered.
func TestPuntSharesAreApart(t *testing.T) {
	for _, c := range []struct {
		frame string
		flood int
	}{{"n3 unknown teid", 300}, {"n3 echo request", 3000}} {
		t.Run(c.frame, func(t *testing.T) {
			l := newLab(t, labConfig())
			in, _ := liveFrame(t, c.frame)
			passed := 0
			for range c.flood {
				if verdict, _ := l.run(t, "n3", in); verdict == xdpPass {
					passed++
				}
			}
			if passed == c.flood {
				t.Errorf("all %d of a flood passed", passed)
			}
			in[14+15] = 3 // the last octet of the source address
			if verdict, _ := l.run(t, "n3", in); verdict != xdpPass {
				t.Errorf("another gNB's message: verdict %d, want pass", verdict)
			}
		})
	}
}

// TestHeadroom leaves too little room for the outer header, with metadata.
func TestHeadroom(t *testing.T) {
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	in, _ := liveFrame(t, "n6 qfi")
	const metadata = 180
	n6 := l.dp.ports[1]
	data := append(make([]byte, metadata), in...)
	verdict, err := n6.program.Run(&ebpf.RunOptions{Data: data, Context: inject.Context{
		Data: metadata, DataEnd: uint32(len(data)), IngressIfindex: uint32(n6.index),
	}})
	if errors.Is(err, unix.EINVAL) {
		t.Skip("this kernel takes no more than 32 octets of metadata")
	}
	must(t, "run", err)
	c, err := l.dp.Counters()
	must(t, "Counters", err)
	if verdict != xdpDrop || c.Drops[datapath.ReasonHeadroom] != 1 {
		t.Errorf("verdict %d, counted %+v", verdict, c)
	}
}

// TestOuterSum has the constant part of the checksum right for the worst
// addresses: the wrap-around of RFC 1071 included.
func TestOuterSum(t *testing.T) {
	cfg := labConfig()
	l := newLab(t, cfg)
	in, _ := liveFrame(t, "n6 qfi")
	for i, peer := range []string{"192.0.2.3", "192.0.2.254", "192.0.2.128"} {
		addNeighbour(t, "n3", peer, "02:00:00:00:03:09")
		r := pair(1, "10.45.0.2", 1, withPeer(peer))
		change := datapath.Change{New: r}
		if i > 0 {
			change.Old = r
		}
		must(t, "Apply", l.dp.Apply([]datapath.Change{change}))
		for range 700 {
			_, out := l.run(t, "n6", in)
			if sum := onesSum(out[14:34]); sum != 0xffff {
				t.Fatalf("peer %s: the header %x sums to %#x", peer, out[14:34], sum)
			}
		}
	}
}

// onesSum is RFC 1071's sum, 0xffff over a valid header.
func onesSum(b []byte) uint32 {
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		sum += uint32(b[i])<<8 | uint32(b[i+1])
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return sum
}

// TestPeersAreShared has a gNB's slot shared, kept while unused, and given to
// another only when all are taken.
func TestPeersAreShared(t *testing.T) {
	l := newLab(t, labConfig())
	a, b := pair(1, "10.45.0.2", 1, nil), pair(2, "10.45.0.3", 3, nil)
	must(t, "create", l.dp.Apply(additions([]*session.Rules{a, b})))
	gnb := netip.MustParseAddr("192.0.2.2")
	if p := l.dp.peers.four[gnb]; len(l.dp.peers.four) != 1 || p.uses != 2 {
		t.Errorf("%d peers, %d uses: want 1 and 2", len(l.dp.peers.four), p.uses)
	}
	must(t, "remove", l.dp.Apply([]datapath.Change{{Old: a}, {Old: b}}))
	for i := len(l.dp.peers.four); i < maxPeers; i++ {
		other := netip.AddrFrom4([4]byte{10, 99, byte(i >> 8), byte(i)})
		l.dp.peers.four[other] = &peer{slot: uint16(i), uses: 1}
	}
	moved := pair(1, "10.45.0.2", 1, withPeer("192.0.2.9"))
	must(t, "create in the slot that is free", l.dp.Apply([]datapath.Change{{New: moved}}))
	err := l.dp.Apply([]datapath.Change{{New: pair(2, "10.45.0.3", 3, withPeer("192.0.2.10"))}})
	if !errors.Is(err, datapath.ErrFull) {
		t.Errorf("one gNB too many: %v, want ErrFull", err)
	}
	limited := pair(3, "10.45.0.4", 5, func(r *session.Rules) {
		withPeer("192.0.2.9")(r)
		withQER(session.QER{QFI: 1, GateUL: true, GateDL: true, MBRUL: 1e6, MBRDL: 1e6})(r)
	})
	err = l.dp.Apply(additions([]*session.Rules{limited, pair(2, "10.45.0.3", 3, withPeer("192.0.2.10"))}))
	if !errors.Is(err, datapath.ErrFull) {
		t.Errorf("one gNB too many in a batch: %v, want ErrFull", err)
	}
	if p := l.dp.peers.four[netip.MustParseAddr("192.0.2.9")]; p.uses != 1 || len(l.dp.chains.meters) != 0 {
		t.Errorf("a batch that was refused left %d uses of a gNB and %d meters: want 1 and 0", p.uses, len(l.dp.chains.meters))
	}
	must(t, "the rest of the batch", l.dp.Apply([]datapath.Change{{New: limited}}))
	if n := len(l.dp.chains.meters); n != 2 {
		t.Errorf("%d meters, want one for each direction", n)
	}
}

// TestApplyAtOnce has many goroutines at the datapath.
func TestApplyAtOnce(t *testing.T) {
	l := newLab(t, labConfig())
	var running sync.WaitGroup
	for g := range 4 {
		running.Go(func() {
			for i := range 50 {
				n := uint32(g*1000 + 2*i)
				r := pair(uint64(n+1), netip.AddrFrom4([4]byte{10, 45, byte(g), byte(i)}).String(), n+1, nil)
				if err := l.dp.Apply([]datapath.Change{{New: r}}); err != nil {
					t.Errorf("Apply: %v", err)
				}
				if _, err := l.dp.Counters(); err != nil {
					t.Errorf("Counters: %v", err)
				}
			}
		})
	}
	running.Wait()
	if n := len(l.contents(t)); n != 400 {
		t.Errorf("%d entries, want 400", n)
	}
}
