package afxdp

import (
	"bytes"
	"errors"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/internal/traffic"
)

// bench is a testbed whose ports have two queues each, with an engine of both directions.
type bench struct {
	testbed site.Site
	engine  *Engine
}

func testShapes() []traffic.Shape {
	return []traffic.Shape{
		{Payload: 1400, SourcePort: 1234, DestinationPort: 1234},
		{Payload: 32, SourcePort: 7, DestinationPort: 9},
		{Payload: 300, SourcePort: 53, DestinationPort: 5353, Content: bytes.Repeat([]byte("content!"), 34)[:300-signature.Bytes]},
	}
}

// testPaths are the flows of a testbed with a wire, of three sessions each.
func testPaths(l *site.Links) (paths []Path) {
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		at := l.Path(d)
		f := &traffic.Flow{
			Direction: d, QFI: 1, Shapes: testShapes(), Source: at.Send.MAC, Destination: at.UPF.MAC,
			GNB: l.GNB.Addr, UPF: l.UPFN3.Addr, DN: l.DNN6.Addr,
			Expect: traffic.Expect{Encapsulated: d == record.Uplink, Unchanged: true, MAC: at.Arrive.MAC},
		}
		for i := range 3 {
			f.Streams = append(f.Streams, traffic.Stream{UE: netip.AddrFrom4([4]byte{10, 45, 0, byte(2 + i)}), UplinkTEID: uint32(1 + 2*i)})
		}
		paths = append(paths, Path{Flow: f, Send: at.Send, Receive: at.Arrive})
	}
	return paths
}

func newBench(t *testing.T, cpus ...int) *bench {
	t.Helper()
	b := &bench{testbed: sitetest.BuildWith(t, func(s *site.Spec) { s.Queues = 2 })}
	w, err := wire.Open(b.testbed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if b.engine, err = Open(Config{CPUs: cpus, Settle: 100 * time.Millisecond, Paths: testPaths(b.testbed.Links())}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// lost is what rings on the way have dropped so far.
func (b *bench) lost(t *testing.T) (n uint64) {
	t.Helper()
	l := b.testbed.Links()
	for _, p := range []netdev.Port{l.GNB, l.UPFN3, l.UPFN6, l.DNN6} {
		dropped, err := p.TxDropped()
		if err != nil {
			t.Fatal(err)
		}
		stats, err := p.Stats()
		if err != nil {
			t.Fatal(err)
		}
		n += dropped
		for name, v := range stats {
			if strings.HasSuffix(name, "_drops") && !strings.HasSuffix(name, "_xdp_drops") {
				n += v
			}
		}
	}
	return n
}

func (b *bench) run(t *testing.T, s traffic.Schedule) traffic.Outcome {
	t.Helper()
	before := b.lost(t)
	o, err := b.engine.Run(t.Context(), s, traffic.Marks{Quiet: func() { before = b.lost(t) }})
	if err != nil {
		t.Fatal(err)
	}
	balanced(t, o, b.lost(t)-before)
	return o
}

// balanced: all that was sent was received or lost at a ring, and it was right.
func balanced(t *testing.T, o traffic.Outcome, lost uint64) {
	t.Helper()
	var sent, received uint64
	for i := range o.Flows {
		f := &o.Flows[i]
		sent, received = sent+f.Sent, received+f.Received
		if len(f.Wrong) > 0 || f.Duplicates > 0 || f.Reordered > 0 {
			t.Errorf("flow %d: wrong %v, duplicates %d, reordered %d, want none; specimen %x", i, f.Wrong, f.Duplicates, f.Reordered, f.Specimen)
		}
		if f.Latency.Count != f.Received || f.Actual.Count != f.Received {
			t.Errorf("flow %d: %d latencies and %d from the actual time of %d received", i, f.Latency.Count, f.Actual.Count, f.Received)
		}
	}
	if sent != o.Sent || sent != received+lost {
		t.Errorf("sent %d (%d by flow), received %d, lost at rings %d: %d are unaccounted for", o.Sent, sent,
			received, lost, int64(sent-received-lost))
	}
}

func TestPaced(t *testing.T) {
	b := newBench(t, 0, 1%runtime.NumCPU())
	for _, c := range []struct {
		story    string
		sequence traffic.Sequence
		arrivals traffic.Arrivals
		flows    [2]uint64
		bytes    uint64 // of all frames
	}{
		{"uplink", nil, nil, [2]uint64{5000, 0}, 5000 * 1486},
		{"downlink", traffic.Only(1, 0), nil, [2]uint64{0, 5000}, 5000 * 1442},
		{"a mixture", traffic.Sequence{{Shape: 0}, {Shape: 1}, {Flow: 1, Shape: 2}, {Shape: 2}, {Flow: 1, Shape: 1}}, nil, [2]uint64{3000, 2000},
			1000 * (1486 + 118 + 342 + 386 + 74)},
		{"Poisson", nil, traffic.Poisson(1), [2]uint64{5000, 0}, 5000 * 1486},
	} {
		t.Run(c.story, func(t *testing.T) {
			o := b.run(t, traffic.Schedule{PPS: 10e3, Duration: 500 * time.Millisecond, Warmup: 50 * time.Millisecond,
				Quiet: 50 * time.Millisecond, Sequence: c.sequence, Arrivals: c.arrivals})
			if o.Stalls > 0 && o.Sent < o.Intended {
				t.Skipf("the machine stood still for too long: %d of %d sent, %d stalls", o.Sent, o.Intended, o.Stalls)
			}
			if got := [2]uint64{o.Flows[0].Sent, o.Flows[1].Sent}; got != c.flows || o.Intended != 5000 || o.Sent != 5000 {
				t.Errorf("sent %d (%v by flow) of %d, want 5000 (%v)", o.Sent, got, o.Intended, c.flows)
			}
			if got := o.Flows[0].SentBytes + o.Flows[1].SentBytes; got != c.bytes {
				t.Errorf("%d bytes sent, want %d", got, c.bytes)
			}
		})
	}
}

// TestUnpaced: more frames than chunks, so that each is used again and again, and what does
// not fit a ring is counted as lost there.
func TestUnpaced(t *testing.T) {
	b := newBench(t, 0)
	o := b.run(t, traffic.Schedule{Duration: 300 * time.Millisecond, Sequence: traffic.Sequence{{Shape: 0}, {Flow: 1, Shape: 2}, {Shape: 1}}})
	if o.Sent < 2*ringSize || o.Intended != o.Sent || o.BusyRatio != 1 {
		t.Errorf("intended %d, sent %d in 300 ms unpaced, busy %.2f", o.Intended, o.Sent, o.BusyRatio)
	}
	for _, s := range b.engine.sockets {
		s.reclaim()
		if len(s.free) != ringSize {
			t.Errorf("%d of %d chunks of %s came back", len(s.free), ringSize, s.port.Name)
		}
	}
}

// TestWindows: what is excluded and what is kept adds up.
func TestWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	b := newBench(t, 0)
	odd := func(from, _ uint64) bool { return from>>20%2 == 1 }
	before := b.lost(t)
	o, err := b.engine.Run(t.Context(), traffic.Schedule{PPS: 10e3, Duration: time.Second, Excluded: odd, Most: 2 * time.Second},
		traffic.Marks{Quiet: func() { before = b.lost(t) }})
	if err != nil {
		t.Fatal(err)
	}
	f, x := &o.Flows[0], &o.Excluded
	all := o.Sent + x.Sent
	if lost := b.lost(t) - before; x.Sent == 0 || f.Received+x.Received[0]+lost != all || f.Latency.Count != f.Received {
		t.Errorf("%d and %d sent, %d and %d received, %d lost, %d latencies", o.Sent, x.Sent, f.Received, x.Received[0], lost, f.Latency.Count)
	}
}

// TestSockets: a veth has no zero copy, and one queue no second socket.
func TestSockets(t *testing.T) {
	b := newBench(t, 0, 0)
	list := b.engine.Sockets()
	if len(list) != 4 || list[0].ZeroCopy || list[0].Why == "" || list[0].Queue != 0 || list[2].Queue != 1 ||
		list[1].Port != b.testbed.Links().DNN6.Name {
		t.Errorf("%+v", list)
	}
	if s, err := openSocket(b.testbed.Links().UPFN3, 7); err == nil ||
		!strings.Contains(err.Error(), "queue 7 of n3") || !strings.Contains(err.Error(), "`queues`") {
		t.Errorf("a socket at a queue that is not there: %v, %v", s, err)
	}
	if s, err := openSocket(b.testbed.Links().GNB, 1); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("a second socket at a queue: %v, %v", s, err)
	}
}

func TestLongFramesAreRefused(t *testing.T) {
	f := testPaths(&site.Links{GNB: netdev.Port{Addr: netip.MustParseAddr("10.0.0.1")}})[0].Flow
	f.Shapes = []traffic.Shape{{Payload: 3946, SourcePort: 1, DestinationPort: 1}} // 3946 + 28 + 44 + 14 = 4032
	if err := checkFrames(f); err != nil {
		t.Error(err)
	}
	f.Shapes[0].Payload++
	if err := checkFrames(f); err == nil || !strings.Contains(err.Error(), "a payload of 3946 or less") {
		t.Errorf("error %v", err)
	}
}

// TestPortThatIsDown: more frames than the ring holds are sent while the port is down, and the trial ends
// without an error; the next one finds the port up again, and nothing of the first.
func TestPortThatIsDown(t *testing.T) {
	b := newBench(t, 0)
	n3 := b.testbed.Links().GNB
	set := func(change func(netlink.Link) error) {
		t.Helper()
		if err := n3.NS.Do(func() error {
			link, err := netlink.LinkByName(n3.Name)
			return errors.Join(err, change(link))
		}); err != nil {
			t.Fatal(err)
		}
	}
	set(netlink.LinkSetDown)
	o, err := b.engine.Run(t.Context(), traffic.Schedule{PPS: 20e3, Duration: 300 * time.Millisecond}, traffic.Marks{})
	if err != nil || o.Sent <= ringSize || o.Flows[0].Received > 0 {
		t.Errorf("while the port is down: %d sent, %d received, %v", o.Sent, o.Flows[0].Received, err)
	}
	set(netlink.LinkSetUp)
	if !wait.Until(5*time.Second, time.Millisecond, func() bool { c, err := n3.Carrier(); return err == nil && c.Up }) {
		t.Fatal("the link does not come back")
	}
	o = b.run(t, traffic.Schedule{PPS: 10e3, Duration: 300 * time.Millisecond, Warmup: 50 * time.Millisecond, Quiet: 50 * time.Millisecond})
	if o.Flows[0].Received == 0 {
		t.Errorf("once it is up again: %d sent, none received", o.Sent)
	}
}
