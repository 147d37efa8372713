package afpacket

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
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

// bench is a testbed with a wire in it and an engine of both directions.
type bench struct {
	testbed site.Site
	engine  *Engine
	others  []int // CPUs that send besides the first
}

// The shapes of the tests' flows.
func testShapes() []traffic.Shape {
	return []traffic.Shape{
		{Payload: 1400, SourcePort: 1234, DestinationPort: 1234},
		{Payload: 32, SourcePort: 7, DestinationPort: 9},
		{Payload: 300, SourcePort: 53, DestinationPort: 5353, Content: bytes.Repeat([]byte("content!"), 34)[:300-signature.Bytes]},
	}
}

func newBench(t *testing.T, others ...int) *bench {
	t.Helper()
	b := &bench{testbed: sitetest.Build(t), others: others}
	w, err := wire.Open(b.testbed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if _, err := b.testbed.PrepareReceive(site.Receive{SinkNAPI: true}); err != nil {
		t.Fatal(err)
	}
	b.open(t, false)
	return b
}

// open opens the engine. Through a bridge frames go to the port where they arrive.
func (b *bench) open(t *testing.T, bridged bool) {
	t.Helper()
	var err error
	c := Config{CPUs: append([]int{0}, b.others...), Settle: 100 * time.Millisecond, Paths: wirePaths(b.testbed, bridged)}
	if b.engine, err = Open(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.engine.Close(); err != nil {
			t.Error(err)
		}
	})
}

// wirePaths are those of uplink and downlink through a wire, or a bridge.
func wirePaths(tb site.Site, bridged bool) (paths []Path) {
	for _, p := range []struct {
		direction         record.Direction
		send, upf, arrive netdev.Port
	}{{record.Uplink, tb.Links().GNB, tb.Links().UPFN3, tb.Links().DNN6},
		{record.Downlink, tb.Links().DNN6, tb.Links().UPFN6, tb.Links().GNB}} {
		f := &traffic.Flow{
			Direction: p.direction, QFI: 1, Shapes: testShapes(), Source: p.send.MAC, Destination: p.upf.MAC,
			GNB: tb.Links().GNB.Addr, UPF: tb.Links().UPFN3.Addr, DN: tb.Links().DNN6.Addr,
			Expect: traffic.Expect{Encapsulated: p.direction == record.Uplink, Unchanged: true, MAC: p.arrive.MAC},
		}
		if bridged {
			f.Destination = p.arrive.MAC
		}
		for i := range 3 {
			f.Streams = append(f.Streams, traffic.Stream{UE: netip.AddrFrom4([4]byte{10, 45, 0, byte(2 + i)}), UplinkTEID: uint32(1 + 2*i)})
		}
		paths = append(paths, Path{Flow: f, Send: p.send, Receive: p.arrive})
	}
	return paths
}

// A wire without BPF: both directions through a bridge.
func TestBridgedWire(t *testing.T) {
	b := &bench{testbed: sitetest.Build(t)}
	if _, err := wire.OpenBridge(b.testbed); err != nil {
		t.Fatal(err)
	}
	b.open(t, true)
	o := b.run(t, traffic.Schedule{PPS: 400, Duration: time.Second, Sequence: traffic.Sequence{{Flow: 0}, {Flow: 1}}})
	if o.Flows[0].Received != 200 || o.Flows[1].Received != 200 {
		t.Errorf("of %d sent in %d stalls received %d and %d, want 200 each", o.Sent, o.Stalls, o.Flows[0].Received, o.Flows[1].Received)
	}
}

// lost is what rings on the way have dropped so far.
func (b *bench) lost(t *testing.T) (n uint64) {
	t.Helper()
	for _, p := range []netdev.Port{b.testbed.Links().GNB, b.testbed.Links().UPFN3, b.testbed.Links().UPFN6, b.testbed.Links().DNN6} {
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
	drops, err := b.engine.RingDrops()
	if err != nil {
		t.Fatal(err)
	}
	return n + drops
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
		if f.Received > 0 && (f.Latency.Min > f.Latency.Quantile(0.5) || f.Latency.Max > uint64(10*time.Second)) {
			t.Errorf("flow %d: latencies from %d to %d ns", i, f.Latency.Min, f.Latency.Max)
		}
	}
	if received == 0 {
		t.Errorf("nothing received of %d sent", sent)
	}
	if sent != o.Sent || sent != received+lost {
		t.Errorf("sent %d (%d by flow), received %d, lost at rings %d: %d are unaccounted for", o.Sent, sent,
			received, lost, int64(sent-received-lost))
	}
}

func (b *bench) run(t *testing.T, s traffic.Schedule) traffic.Outcome {
	t.Helper()
	before := b.lost(t)
	quiet := func() { before = b.lost(t) }
	o, err := b.engine.Run(t.Context(), s, traffic.Marks{Quiet: quiet})
	if err != nil {
		t.Fatal(err)
	}
	balanced(t, o, b.lost(t)-before)
	return o
}

func TestPaced(t *testing.T) {
	b := newBench(t)
	onOff, err := traffic.OnOff(10e3, 10*time.Millisecond, 10*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		story    string
		sequence traffic.Sequence
		arrivals traffic.Arrivals
		flows    [2]uint64
		bytes    uint64 // of all frames
	}{
		{"uplink", nil, nil, [2]uint64{5000, 0}, 5000 * 1486},
		{"downlink", traffic.Only(1, 0), nil, [2]uint64{0, 5000}, 5000 * 1442},
		{"both at once", traffic.Sequence{{Flow: 0}, {Flow: 1}}, nil, [2]uint64{2500, 2500}, 2500 * (1486 + 1442)},
		{"a mixture", traffic.Sequence{{Shape: 0}, {Shape: 1}, {Flow: 1, Shape: 2}, {Shape: 2}, {Flow: 1, Shape: 1}}, nil, [2]uint64{3000, 2000},
			1000 * (1486 + 118 + 342 + 386 + 74)},
		{"Poisson", nil, traffic.Poisson(1), [2]uint64{5000, 0}, 5000 * 1486},
		{"bursts", nil, traffic.Bursts(50), [2]uint64{5000, 0}, 5000 * 1486},
		{"on and off", nil, onOff, [2]uint64{5000, 0}, 5000 * 1486},
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
			if o.Lateness.Count != o.Sent || o.BusyRatio <= 0 || o.BusyRatio > 1 {
				t.Errorf("%d lateness values, busy %.3f", o.Lateness.Count, o.BusyRatio)
			}
			late := float64(o.Lateness.Max) / 1e9 // of a busy machine
			if c.arrivals == nil && (o.SendSeconds < 0.45 || o.SendSeconds > 0.55+late) {
				t.Errorf("sending took %.3f s, want 0.5, and up to %.3f s more", o.SendSeconds, late)
			}
			if sent, received := b.engine.Live(); sent != o.Sent || received != o.Flows[0].Received+o.Flows[1].Received {
				t.Errorf("Live gives %d sent, %d received after a trial of %d", sent, received, o.Sent)
			}
		})
	}
}

func TestUnpaced(t *testing.T) {
	b := newBench(t)
	o := b.run(t, traffic.Schedule{Duration: 150 * time.Millisecond})
	if o.Sent < 1000 || o.Intended != o.Sent || o.BusyRatio != 1 {
		t.Errorf("intended %d, sent %d in 150 ms unpaced, busy %.2f", o.Intended, o.Sent, o.BusyRatio)
	}
}

// A rate that no system call reaches: what is sent is short of what was intended,
// late, and given up soon after the end.
func TestTooFast(t *testing.T) {
	b := newBench(t)
	start := time.Now()
	o := b.run(t, traffic.Schedule{PPS: 50e6, Duration: 100 * time.Millisecond})
	if o.Intended != 5e6 || o.Sent >= o.Intended || o.LateSlots == 0 || time.Since(start) > 2*time.Second {
		t.Errorf("sent %d of %d, %d late, in %v", o.Sent, o.Intended, o.LateSlots, time.Since(start))
	}
}

func TestCancelled(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start, before := time.Now(), b.lost(t)
	o, err := b.engine.Run(ctx, traffic.Schedule{PPS: 1000, Duration: time.Minute}, traffic.Marks{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v, want the context's", err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("it returned after %v", took)
	}
	if o.Sent == 0 || o.Sent >= o.Intended {
		t.Errorf("sent %d of %d, want a part", o.Sent, o.Intended)
	}
	balanced(t, o, b.lost(t)-before)
}

// Marks come in their order, each once, also in a trial shorter than their ticks. All
// that is due is sent, unless the machine pauses: it does not in each of five tries.
func TestMarks(t *testing.T) {
	b := newBench(t)
	for _, s := range []traffic.Schedule{
		{PPS: 1e6, Duration: 100 * time.Microsecond},
		{PPS: 1000, Duration: 50 * time.Millisecond, Warmup: 20 * time.Millisecond, Quiet: 30 * time.Millisecond},
	} {
		short := true
		for try := 0; try < 5 && short; try++ {
			var order string
			mark := func(s string) func() { return func() { order += s } }
			o, err := b.engine.Run(t.Context(), s, traffic.Marks{Quiet: mark("quiet "), Start: mark("start "), End: mark("end")})
			if err != nil || order != "quiet start end" {
				t.Errorf("%v: marks %q, error %v", s.Duration, order, err)
			}
			if short = o.Sent != o.Intended; short {
				t.Logf("%v: sent %d of %d", s.Duration, o.Sent, o.Intended)
			}
		}
		if short {
			t.Errorf("%v: never sent all that was due", s.Duration)
		}
	}
}

func TestRefusesASequenceThatIsNotThere(t *testing.T) {
	b := newBench(t)
	if _, err := b.engine.Run(t.Context(),
		traffic.Schedule{PPS: 1, Duration: time.Second, Sequence: traffic.Only(0, 9)}, traffic.Marks{}); err == nil {
		t.Error("sent a shape that is not there")
	}
}

// TestPortThatIsDown: what is sent while the port is down is lost on the link, and the trial ends without an error;
// the next one finds the port up again.
func TestPortThatIsDown(t *testing.T) {
	b := newBench(t)
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
	if err != nil || o.Sent == 0 || o.Flows[0].Received > 0 {
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
