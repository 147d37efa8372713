package trex

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

func flows() []*traffic.Flow {
	one := func(d record.Direction) *traffic.Flow {
		f := &traffic.Flow{Direction: d, QFI: 9, GNB: netip.MustParseAddr("172.16.3.1"),
			UPF: netip.MustParseAddr("172.16.3.2"), DN: netip.MustParseAddr("172.16.6.2"),
			Source: net.HardwareAddr{2, 0, 0, 0, 0, 1}, Destination: net.HardwareAddr{2, 0, 0, 0, 0, 2},
			Shapes: []traffic.Shape{{Payload: 64, SourcePort: 1234, DestinationPort: 1234},
				{Payload: 1400, SourcePort: 1234, DestinationPort: 1234}},
			Expect: traffic.Expect{Encapsulated: d == record.Downlink, PSC: true}}
		for i := range 3 {
			f.Streams = append(f.Streams,
				traffic.Stream{UE: netip.AddrFrom4([4]byte{10, 60, 0, byte(10 + i)}), UplinkTEID: uint32(1 + 2*i),
					DownlinkTEID: uint32(2 + 2*i), QFI: 9})
		}
		return f
	}
	return []*traffic.Flow{one(record.Uplink), one(record.Downlink)}
}

func openEngine(t *testing.T, s *fake, latencyPPS float64) (*Server, *Engine) {
	t.Helper()
	server, err := Open(s.config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	e, err := server.Engine(EngineConfig{Flows: flows(), LatencyPPS: latencyPPS})
	if err != nil {
		t.Fatal(err)
	}
	e.settle = time.Millisecond
	return server, e
}

// TestRun: a trial counts what the ports do, delays come from the latency stream, and the
// marks come in their order.
func TestRun(t *testing.T) {
	s := newFake(t)
	_, e := openEngine(t, s, 1000)
	var marks []string
	note := func(name string) func() { return func() { marks = append(marks, name) } }
	o, err := e.Run(t.Context(),
		traffic.Schedule{PPS: 20000, Duration: 300 * time.Millisecond, Warmup: 50 * time.Millisecond,
			Sequence: traffic.Only(0, 1)},
		traffic.Marks{Quiet: note("quiet"), Start: note("start"), End: note("end")})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(marks, " "); got != "quiet start end" {
		t.Errorf("marks: %s", got)
	}
	f := &o.Flows[0]
	if o.Intended != 6000 || o.Sent != 6000 || f.Received != 6000 || f.Sent != 6000 {
		t.Errorf("intended %d, sent %d, received %d; want 6000", o.Intended, o.Sent, f.Received)
	}
	if f.Latency.Count != 300 || f.Latency.Max != 45000 || f.Latency.Min != 2000 || f.JitterNS != 3000 || f.Reordered != 1 {
		t.Errorf("latency of %d, %d..%d ns, jitter %v, reordered %d", f.Latency.Count, f.Latency.Min, f.Latency.Max, f.JitterNS, f.Reordered)
	}
	if o.SendSeconds < 0.3 || o.SendSeconds > 0.34 || o.BusyRatio != 0.125 {
		t.Errorf("%v s, busy %v", o.SendSeconds, o.BusyRatio)
	}
	if f.SentBytes != 6000*uint64(e.flows[0].FrameBytes(e.flows[0].Streams[0], 1)) {
		t.Errorf("%d octets sent", f.SentBytes)
	}
	if f.ReceivedBytes != 6000*(100-4) { // the port counts 100 a frame, with the FCS
		t.Errorf("%d octets received", f.ReceivedBytes)
	}
	if len(s.streams[0]) != 0 || s.running(0) {
		t.Error("streams are left on the port")
	}
}

// TestRunWhole: a load of no more than the latency streams send is counted by them.
func TestRunWhole(t *testing.T) {
	s := newFake(t)
	s.loses = 2
	_, e := openEngine(t, s, 1000)
	o, err := e.Run(t.Context(), traffic.Schedule{PPS: 1000, Duration: 200 * time.Millisecond, Sequence: traffic.Only(1, 0)}, traffic.Marks{})
	if err != nil {
		t.Fatal(err)
	}
	if f := &o.Flows[1]; f.Sent != 200 || f.Received != 198 || f.Latency.Count != 198 || o.Flows[0].Sent != 0 {
		t.Errorf("sent %d, received %d, %d delays", f.Sent, f.Received, f.Latency.Count)
	}
}

// TestBothWays: each direction has its port, and a mixture its shares.
func TestBothWays(t *testing.T) {
	s := newFake(t)
	_, e := openEngine(t, s, 100)
	q := traffic.Sequence{{Flow: 0, Shape: 0}, {Flow: 1, Shape: 0}, {Flow: 0, Shape: 1}, {Flow: 1, Shape: 1}}
	p, err := e.plan(traffic.Schedule{PPS: 4000, Duration: time.Second, Sequence: q}, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.streams) != 8 || p.ofFlow(0) != 2000 || p.ofFlow(1) != 2000 || len(p.ports()) != 2 || p.whole {
		t.Errorf("%+v", p)
	}
	o, err := e.Run(t.Context(), traffic.Schedule{PPS: 4000, Duration: 200 * time.Millisecond, Sequence: q}, traffic.Marks{})
	if err != nil || o.Flows[0].Received != 400 || o.Flows[1].Received != 400 {
		t.Errorf("%v: received %d and %d", err, o.Flows[0].Received, o.Flows[1].Received)
	}
}

// TestExact: a trial has as many packets as slots, whatever it is a mixture of; each direction
// has its own.
func TestExact(t *testing.T) {
	s := newFake(t)
	_, e := openEngine(t, s, 100)
	q := traffic.Sequence{{Flow: 0, Shape: 0}, {Flow: 1, Shape: 0}, {Flow: 0, Shape: 1}}
	for _, pps := range []float64{70, 1000} { // latency streams alone, and both kinds
		p, err := e.plan(traffic.Schedule{PPS: pps, Duration: time.Second, Sequence: q}, 5)
		if err != nil {
			t.Fatal(err)
		}
		var sent [2]uint64
		for _, x := range p.streams {
			sent[x.flow] += uint64(x.packets)
		}
		for flow, n := range sent {
			if want := q.Count(uint8(flow), uint64(pps)); n != want {
				t.Errorf("%g packets/s: %d packets of flow %d, want %d", pps, n, flow, want)
			}
		}
	}
	p, err := e.plan(traffic.Schedule{PPS: 1e7, Duration: time.Hour, Sequence: q}, 5)
	if err != nil || p.counted || p.streams[0].mode()["type"] != "continuous" {
		t.Errorf("%v: a trial of more packets than a burst has does not go by time", err)
	}
}

// TestMax: unpaced is the line's rate, for as long as asked.
func TestMax(t *testing.T) {
	s := newFake(t)
	_, e := openEngine(t, s, 1000)
	o, err := e.Run(t.Context(), traffic.Schedule{Duration: 200 * time.Millisecond, Sequence: traffic.Only(0, 1)}, traffic.Marks{})
	if err != nil {
		t.Fatal(err)
	}
	line := 10e9 / float64(8*(e.flows[0].FrameBytes(e.flows[0].Streams[0], 1)+24))
	if pps := float64(o.Sent) / o.SendSeconds; pps < 0.8*line || pps > 1.2*line || o.Intended != o.Sent {
		t.Errorf("%.0f packets/s, the line takes %.0f; intended %d of %d", pps, line, o.Intended, o.Sent)
	}
}

// TestInterrupted: when the user stops the run the traffic ends at once, and the ports are free.
func TestInterrupted(t *testing.T) {
	s := newFake(t)
	server, e := openEngine(t, s, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	began := time.Now()
	o, err := e.Run(ctx, traffic.Schedule{PPS: 5000, Duration: time.Minute, Sequence: traffic.Only(0, 0)}, traffic.Marks{})
	if !errors.Is(err, context.Canceled) || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if s.running(0) || o.SendSeconds > 5 {
		t.Errorf("it still sends, or sent for %v s", o.SendSeconds)
	}
	if err := errors.Join(e.Close(), server.Close()); err != nil || s.owner != [2]string{} {
		t.Errorf("%v: the ports are owned by %q", err, s.owner)
	}
}

// TestRefused: what is wrong with a server is one sentence.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, want string
		spoil      func(*fake, *Config)
	}{
		{"taken", "port 1 of the TRex server", func(s *fake, _ *Config) { s.owner[1] = "somebody" }},
		{"taken", "(port is already taken by 'somebody'): wait for it, or take it with trex.force=true",
			func(s *fake, _ *Config) { s.owner[1] = "somebody" }},
		{"version", "upflab needs the stateless mode's API 5.1", func(s *fake, _ *Config) { s.major = 9 }},
		{"down", "port 0 of the TRex server", func(s *fake, _ *Config) { s.down = true }},
		{"no port", "has no port 7 (it has 2)", func(_ *fake, c *Config) { c.N6Port = 7 }},
		{"silent", "does not answer", func(s *fake, _ *Config) { s.hang = true }},
		{"nobody", "connection refused", func(s *fake, _ *Config) { s.listener.Close() }},
	} {
		s := newFake(t)
		config := s.config()
		c.spoil(s, &config)
		_, err := Open(config)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
		if s.owner[0] != "" {
			t.Errorf("%s: port 0 is left to %q", c.name, s.owner[0])
		}
	}
}

func TestForce(t *testing.T) {
	s := newFake(t)
	s.owner[0] = "somebody"
	c := s.config()
	c.Force = true
	server, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
}

// TestLost: a server that goes away in a trial is an error soon.
func TestLost(t *testing.T) {
	s := newFake(t)
	server, e := openEngine(t, s, 1000)
	time.AfterFunc(150*time.Millisecond, func() {
		s.mu.Lock()
		s.hang = true
		s.mu.Unlock()
	})
	began := time.Now()
	_, err := e.Run(t.Context(), traffic.Schedule{PPS: 5000, Duration: 30 * time.Second, Sequence: traffic.Only(0, 0)}, traffic.Marks{})
	if err == nil || !strings.Contains(err.Error(), "does not answer") || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if strings.Count(err.Error(), "does not answer") != 1 {
		t.Errorf("the error says it more than once: %v", err)
	}
	if err := errors.Join(e.Close(), server.Close()); err != nil {
		t.Errorf("it is said again at the end: %v", err)
	}
}

// TestTaken: who takes the ports in a trial ends it, which is one error.
func TestTaken(t *testing.T) {
	s := newFake(t)
	server, e := openEngine(t, s, 1000)
	time.AfterFunc(100*time.Millisecond, func() {
		s.mu.Lock()
		s.taken = true
		s.mu.Unlock()
	})
	_, err := e.Run(t.Context(), traffic.Schedule{PPS: 5000, Duration: 300 * time.Millisecond, Sequence: traffic.Only(0, 0)}, traffic.Marks{})
	if err == nil || strings.Count(err.Error(), "somebody else took the ports") != 1 {
		t.Error(err)
	}
	if err := errors.Join(e.Close(), server.Close()); err != nil {
		t.Errorf("it is said again at the end: %v", err)
	}
}

func TestUnsendable(t *testing.T) {
	s := newFake(t)
	_, e := openEngine(t, s, 1000)
	for _, c := range []traffic.Schedule{{PPS: 10, Arrivals: traffic.Bursts(4)}, {PPS: 10, Burst: true}} {
		if _, err := e.Run(t.Context(), c, traffic.Marks{}); err == nil {
			t.Errorf("%+v was sent", c)
		}
	}
}
