package afxdp

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/sender"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// packet is a frame of a trial: when it was due, ns after the first slot, what it was, and all
// octets but those of times, trial and checksum.
type packet struct {
	due, sequence        uint64
	flow, shape, session int
	frame                string
}

// dealtTest is two flows, sent by sources of one engine or the other, and what arrives.
type dealtTest struct {
	paths   []Path
	arrived []*tpacket.Port
}

func newDealtTest(t *testing.T) *dealtTest {
	tb := sitetest.BuildWith(t, func(s *site.Spec) { s.Queues = 3 })
	d := &dealtTest{paths: testPaths(tb.Links())}
	for _, p := range []netdev.Port{tb.Links().UPFN3, tb.Links().UPFN6} {
		d.arrived = append(d.arrived, openCapture(t, p))
	}
	for _, p := range d.paths {
		for len(p.Flow.Streams) < 7 {
			p.Flow.Streams = append(p.Flow.Streams, p.Flow.Streams[len(p.Flow.Streams)%3])
		}
	}
	return d
}

// openCapture receives what arrives at a port, also live frames: these come to a veth only
// where it has NAPI, which GRO gives it.
func openCapture(t *testing.T, p netdev.Port) (c *tpacket.Port) {
	t.Helper()
	err := p.NS.Do(func() (err error) {
		// Or the kernel would send frames for UEs back to where they came from.
		if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("0"), 0); err != nil {
			return err
		}
		c, err = tpacket.Open(tpacket.Config{Interface: p.Name, Frames: 4096})
		return err
	})
	if err == nil {
		err = p.SetGRO(true)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// frames are all that have arrived, after 100 ms of silence.
func frames(t *testing.T, c *tpacket.Port) (list [][]byte) {
	t.Helper()
	for {
		f := c.Next()
		if f == nil {
			if err := tpacket.Wait(100*time.Millisecond, c); err != nil {
				t.Fatal(err)
			}
			if f = c.Next(); f == nil {
				return list
			}
		}
		list = append(list, bytes.Clone(f))
		c.Release()
	}
}

// sources are those of a share: of this engine, or of the engine xdp.
func (d *dealtTest) sources(t *testing.T, share traffic.Share, other bool) (list []traffic.Source) {
	t.Helper()
	config := xdp.Config{}
	for _, p := range d.paths {
		config.Paths = append(config.Paths, xdp.Path{Flow: p.Flow, Send: p.Send})
	}
	clock := sender.NewClock()
	for i := range share.Of {
		share.Source = i
		cpu := i % runtime.NumCPU()
		if other {
			s, err := xdp.OpenSource(config, cpu, share, nil)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, s)
			continue
		}
		s := sender.New(cpu, share, clock)
		for _, p := range d.paths {
			socket, err := openSocket(p.Send, i)
			if err != nil {
				t.Fatal(err)
			}
			s.Add(p.Flow, p.Send.Name, socket)
		}
		list = append(list, s)
	}
	return list
}

// send sends a schedule and gives what arrived.
func (d *dealtTest) send(t *testing.T, s traffic.Schedule, share traffic.Share, other bool) []packet {
	t.Helper()
	g := traffic.Group{Sinks: make([]traffic.Sink, len(d.paths)), Sources: d.sources(t, share, other), Settle: 20 * time.Millisecond}
	defer g.Close()
	for range 30 {
		o, err := g.Run(t.Context(), s, traffic.Marks{})
		if err != nil {
			t.Fatal(err)
		}
		first, _ := g.Sources[0].Span()
		list := d.packets(t, first)
		if o.Sent == o.Intended { // else the sources got no CPU and were cut off
			return list
		}
	}
	t.Fatalf("%d sources did not send everything in thirty tries: is the machine that busy?", share.Of)
	return nil
}

// packets are those of the trial that arrived, in the order of the schedule. Those of the
// warm-up were due before.
func (d *dealtTest) packets(t *testing.T, first uint64) (list []packet) {
	t.Helper()
	for flow, c := range d.arrived {
		f := d.paths[flow].Flow
		payload := f.FrameBytes(f.Streams[0], 0) - f.PayloadBytes(0)
		for _, b := range frames(t, c) {
			if len(b) < payload+signature.Bytes || !bytes.Equal(b[:12], append(bytes.Clone(f.Destination), f.Source...)) {
				continue // the kernel's own
			}
			s, ours := signature.Parse(b[payload:])
			if !ours || s.Intended < first {
				continue
			}
			list = append(list, packet{s.Intended - first, s.Sequence, flow, s.Shape(), s.Session(), string(masked(b, payload))})
		}
	}
	slices.SortFunc(list, func(a, b packet) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.flow, b.flow), cmp.Compare(a.session, b.session),
			cmp.Compare(a.sequence, b.sequence))
	})
	return list
}

// masked is a frame without what two trials differ in: in the signature the trial and both
// times, and the inner UDP checksum, which covers them. (The outer one does too, but the
// inner checksum takes that out again.)
func masked(b []byte, payload int) []byte {
	clear(b[payload-2 : payload])
	clear(b[payload+2 : payload+4])
	clear(b[payload+16 : payload+32])
	return b
}

// TestSourcesSendOneSchedule: what several sources send is packet for packet what one sends:
// due at the same ns, of the same sessions, with the same numbers, octet for octet. The engine
// xdp sends the same, but that it rounds to ns from the warm-up on.
func TestSourcesSendOneSchedule(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	d := newDealtTest(t)
	base := traffic.Schedule{PPS: 5000, Duration: 100 * time.Millisecond, Warmup: 10 * time.Millisecond, Quiet: 10 * time.Millisecond}
	gaps, err := traffic.Gaps([]time.Duration{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5})
	if err != nil {
		t.Fatal(err)
	}
	mixture := traffic.Sequence{{Shape: 0}, {Flow: 1, Shape: 2}, {Shape: 1}, {Shape: 2}, {Flow: 1, Shape: 1}, {Flow: 1}, {Shape: 2}}
	for _, c := range []struct {
		story    string
		arrivals traffic.Arrivals
		sequence traffic.Sequence
		sources  int
		lanes    []int
		first    []int
	}{
		{"one source", nil, nil, 1, nil, nil},
		{"constant", nil, nil, 2, nil, nil},
		{"constant, more sources than CPUs", nil, traffic.Only(1, 0), 3, nil, nil},
		{"bursts", traffic.Bursts(16), nil, 2, nil, nil},
		{"a recording", gaps, mixture[:1], 2, nil, nil},
		{"both directions", nil, mixture, 2, nil, nil},
		{"both directions, Poisson", traffic.Poisson(8), mixture, 2, nil, nil},
		{"in three lanes", nil, mixture, 2, []int{3, 2}, nil},
		{"each direction from sources of its own", nil, mixture, 3, []int{2, 1}, []int{0, 2}},
	} {
		t.Run(c.story, func(t *testing.T) {
			s := base
			s.Arrivals, s.Sequence = c.arrivals, c.sequence
			want := d.send(t, s, traffic.Share{Of: 1}, false)
			got := d.send(t, s, traffic.Share{Of: c.sources, Lanes: c.lanes, First: c.first}, false)
			if len(want) != 500 || !slices.Equal(got, want) {
				t.Fatalf("%d packets of one source, %d of %d: %s", len(want), len(got), c.sources, firstDifference(got, want))
			}
			other := d.send(t, s, traffic.Share{Of: 1}, true)
			for i := range other {
				if due := &other[i].due; *due-got[i].due+1 <= 2 {
					*due = got[i].due
				}
			}
			if !slices.Equal(other, got) {
				t.Fatalf("%d packets of the engine xdp: %s", len(other), firstDifference(other, got))
			}
		})
	}
}

func firstDifference(got, want []packet) string {
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g == w {
			continue
		}
		at := 0
		for at < min(len(g.frame), len(w.frame)) && g.frame[at] == w.frame[at] {
			at++
		}
		g.frame, w.frame = "", ""
		return fmt.Sprintf("packet %d is %+v, want %+v; the frames differ from octet %d on", i, g, w, at)
	}
	return "one is longer"
}
