package hosts

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// lab has hosts in namespaces of a testbed with a wire in it, and is their Caller.
type lab struct {
	site  site.Site
	ports map[string]netdev.Port
	parts map[string]*Follower

	mu   sync.Mutex
	dead map[string]bool
}

// Call implements Caller: the part answers in its host's namespace.
func (l *lab) Call(ctx context.Context, testbed, method string, question []byte) (answer []byte, err error) {
	l.mu.Lock()
	dead := l.dead[testbed]
	l.mu.Unlock()
	if dead {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	p := l.parts[testbed]
	if p == nil {
		return nil, errors.New("there is no such testbed")
	}
	err = l.ports[testbed].NS.Do(func() error { answer = p.Answer(method, question); return nil })
	return answer, err
}

func newLab(t *testing.T) *lab {
	tb := sitetest.Build(t)
	w, err := wire.Open(tb)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	l := &lab{site: tb, ports: map[string]netdev.Port{"a": tb.Links().GNB, "b": tb.Links().GNB, "d": tb.Links().DNN6},
		parts: map[string]*Follower{}, dead: map[string]bool{}}
	for name := range l.ports {
		l.parts[name] = &Follower{}
	}
	return l
}

// open opens a session of the hosts a and b, and d.
func (l *lab) open(t *testing.T) *Session {
	t.Helper()
	member := func(name string, cpu int) Member {
		return Member{Testbed: name, Device: l.ports[name].Name, CPUs: []int{cpu % runtime.NumCPU()}}
	}
	s, err := Open(t.Context(), l, "c", []Member{member("a", 0), member("b", 1)}, member("d", 0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// flows are those of both directions through a wire, of seven sessions.
func (l *lab) flows() (f [2]traffic.Flow) {
	for i, d := range []record.Direction{record.Uplink, record.Downlink} {
		at := l.site.Links().Path(d)
		f[i] = traffic.Flow{Direction: d, Shapes: []traffic.Shape{{Payload: 200, SourcePort: 5000, DestinationPort: 5001}}, QFI: 9,
			Source: at.Send.MAC, Destination: at.UPF.MAC, GNB: at.Send.Addr, UPF: at.UPF.Addr, DN: netip.MustParseAddr("192.168.16.152"),
			Expect: traffic.Expect{Encapsulated: d == record.Uplink, Unchanged: true, MAC: at.Arrive.MAC}}
		for n := range 7 {
			f[i].Streams = append(f[i].Streams, traffic.Stream{UE: netip.AddrFrom4([4]byte{10, 45, 0, byte(10 + n)}),
				UplinkTEID: uint32(1 + 2*n), DownlinkTEID: uint32(2 + 2*n)})
		}
	}
	return f
}

var bothWays = traffic.Sequence{{Flow: uplink}, {Flow: uplink}, {Flow: downlink}}

func schedule(q traffic.Sequence) traffic.Schedule {
	return traffic.Schedule{PPS: 3000, Duration: 300 * time.Millisecond, Warmup: 20 * time.Millisecond,
		Quiet: 10 * time.Millisecond, Sequence: q}
}

// whole repeats a trial until its sources got their CPUs and sent everything, and most of it
// arrived.
func whole(t *testing.T, e traffic.Engine, s traffic.Schedule) (o traffic.Outcome) {
	t.Helper()
	for range 10 {
		var err error
		o, err = e.Run(t.Context(), s, traffic.Marks{})
		if err != nil && contains(err, "too late when the trial begins") { // the machine stood still meanwhile
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		received := uint64(0)
		for i := range o.Flows {
			received += o.Flows[i].Received
		}
		if o.Sent == o.Intended && received > o.Sent*9/10 && !late(e, &o) {
			return o
		}
		if h, is := e.(*Engine); is {
			for _, src := range h.sources {
				t.Logf("%s: %+v sent %d of %d, late %d", src.host.Testbed, src.share, src.whole.Sent, src.whole.Intended, src.late())
			}
		}
		t.Logf("%d of %d were sent, and %d arrived", o.Sent, o.Intended, received)
	}
	t.Fatal("not one of ten trials was whole: is the machine that busy?")
	return o
}

// late reports whether a host began long after the others, which the machine had stopped.
func late(e traffic.Engine, o *traffic.Outcome) bool {
	h, is := e.(*Engine)
	return is && slices.ContainsFunc(h.Shares(o), func(s Share) bool { return s.StartNS > uint64(100*time.Millisecond) })
}

// TestAsOneHost: sources on three hosts send what one host sends, and what they and the
// sinks report adds up to the same counts.
func TestAsOneHost(t *testing.T) {
	l := newLab(t)
	flows := l.flows()
	links := l.site.Links()
	one, err := xdp.Open(xdp.Config{CPUs: []int{0}, Settle: 50 * time.Millisecond, Paths: []xdp.Path{
		{Flow: &flows[uplink], Send: links.GNB, Receive: links.DNN6}, {Flow: &flows[downlink], Send: links.DNN6, Receive: links.GNB}}})
	if err != nil {
		t.Fatal(err)
	}
	var want []traffic.Outcome
	sequences := []traffic.Sequence{nil, traffic.Only(downlink, 0), bothWays}
	for _, q := range sequences {
		want = append(want, whole(t, one, schedule(q)))
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	s := l.open(t)
	e, err := s.Engine(t.Context(), Config{Flows: flows, OneGNB: true, Settle: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range sequences {
		got := whole(t, e, schedule(q))
		same(t, &got, &want[i])
		adds(t, e, &got)
	}
	byWindows(t, e)
	if err := errors.Join(e.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	for name, p := range l.parts {
		if p.now != nil {
			t.Errorf("host %s takes part in a measurement that was closed", name)
		}
	}
}

func same(t *testing.T, got, want *traffic.Outcome) {
	t.Helper()
	if got.Intended != want.Intended || got.Sent != want.Sent || got.Lateness.Count != want.Lateness.Count {
		t.Errorf("%d of %d sent, want %d of %d", got.Sent, got.Intended, want.Sent, want.Intended)
	}
	for i := range want.Flows {
		g, w := &got.Flows[i], &want.Flows[i]
		if g.Sent != w.Sent || g.SentBytes != w.SentBytes || !slices.Equal(g.SentBySession, w.SentBySession) {
			t.Errorf("flow %d: sent %d, by session %v; want %d, %v", i, g.Sent, g.SentBySession, w.Sent, w.SentBySession)
		}
		if g.Received > g.Sent || g.Latency.Count != g.Received || g.Received == g.Sent && !slices.Equal(g.ReceivedBySession, g.SentBySession) {
			t.Errorf("flow %d: received %d of %d, by session %v, %d latencies", i, g.Received, g.Sent, g.ReceivedBySession, g.Latency.Count)
		}
		if len(g.Wrong) > 0 || g.Duplicates > 0 || g.Reordered > 0 {
			t.Errorf("flow %d: wrong %v, %d twice, %d out of order", i, g.Wrong, g.Duplicates, g.Reordered)
		}
	}
}

// adds wants the hosts' shares to add up, and to begin at one time.
func adds(t *testing.T, e *Engine, o *traffic.Outcome) {
	t.Helper()
	var sent, received uint64
	for _, s := range e.Shares(o) {
		sent, received = sent+s.Sent, received+s.Received
		if s.StartNS > uint64(100*time.Millisecond) {
			t.Errorf("host %s began %d ns late", s.Host.Testbed, s.StartNS)
		}
	}
	want := uint64(0)
	for i := range o.Flows {
		want += o.Flows[i].Received
	}
	if sent != o.Sent || received != want {
		t.Errorf("the hosts' shares are %d sent and %d received, of %d and %d", sent, received, o.Sent, want)
	}
}

// byWindows excludes every third window on all hosts.
func byWindows(t *testing.T, e *Engine) {
	t.Helper()
	s := schedule(bothWays)
	s.Excluded = func(from, _ uint64) bool { return from>>20%3 == 0 }
	o, err := e.Run(t.Context(), s, traffic.Marks{})
	// A busy machine has hosts begin late, or answer so late that no window is kept.
	busy := func() bool {
		if err != nil {
			return contains(err, "too late when the trial begins")
		}
		return late(e, &o) || o.Excluded.Windows == o.Excluded.Of
	}
	for try := 1; try < 10 && busy(); try++ {
		o, err = e.Run(t.Context(), s, traffic.Marks{})
	}
	if err != nil {
		t.Fatal(err)
	}
	x := &o.Excluded
	if x.Of < 250 || x.Windows < x.Of/3 || x.Void {
		t.Errorf("%d of %d windows were excluded, void %v", x.Windows, x.Of, x.Void)
	}
	if n := s.Slots(s.Duration); o.Intended+x.Intended != n {
		t.Errorf("%d and %d packets were intended, of %d", o.Intended, x.Intended, n)
	}
	for i := range o.Flows {
		f := &o.Flows[i]
		if f.Latency.Count != f.Received || f.Received == 0 || f.Received > f.Sent {
			t.Errorf("flow %d: %d latencies of %d packets, %d sent", i, f.Latency.Count, f.Received, f.Sent)
		}
	}
	adds(t, e, &o)
}

// TestLost: a host that answers no more ends the trial, and is named; hosts that hear
// nothing of their leader let go.
func TestLost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	l := newLab(t)
	s := l.open(t)
	e, err := s.Engine(t.Context(), Config{Flows: l.flows(), OneGNB: true})
	if err != nil {
		t.Fatal(err)
	}
	long := schedule(nil)
	long.Duration = time.Minute
	began := time.Now()
	_, err = e.Run(t.Context(), long, traffic.Marks{Start: func() {
		l.mu.Lock()
		l.dead["b"] = true
		l.mu.Unlock()
	}})
	var lost *LostError
	if !errors.As(err, &lost) || lost.Testbed != "b" {
		t.Fatalf("%v", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("that took %s", took)
	}
	if _, err := e.Run(t.Context(), long, traffic.Marks{}); !errors.As(err, &lost) {
		t.Errorf("the next trial: %v", err)
	}
	e.Close()
	s.Close()
	b := l.parts["b"]
	free := func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.now == nil
	}
	if !wait.Until(3*silentFor, 100*time.Millisecond, free) {
		t.Fatal("host b holds on to a measurement whose leader is gone")
	}
}

// TestRefused: what a host says when it cannot take part.
func TestRefused(t *testing.T) {
	l := newLab(t)
	l.parts["b"].Admit = func(string, string) (func(), error) { return nil, errors.New("it measures something else") }
	good := func(name string) Member { return Member{Testbed: name, Device: l.ports[name].Name} }
	for _, c := range []struct {
		story string
		gnbs  []Member
		says  string
	}{
		{"a testbed that is not there", []Member{good("a"), {Testbed: "x", Device: "eth0"}}, "no such testbed"},
		{"a device that is not there", []Member{{Testbed: "a", Device: "eth9"}}, "eth9"},
		{"a CPU that is not there", []Member{{Testbed: "a", Device: l.ports["a"].Name, CPUs: []int{4095}}}, "CPU 4095"},
		{"a host that does something else", []Member{good("a"), good("b")}, "something else"},
		{"a host twice", []Member{good("a"), good("a")}, "another measurement"},
	} {
		s, err := Open(t.Context(), l, "c", c.gnbs, good("d"))
		if err == nil || !contains(err, c.says) {
			t.Errorf("%s: %v, %v", c.story, s, err)
		}
		if l.parts["a"].now != nil {
			t.Errorf("%s: host a still takes part", c.story)
		}
	}
}
