package hosts

import (
	"errors"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// TestAFXDP: hosts that send by AF_XDP send what one host sends by XDP.
func TestAFXDP(t *testing.T) {
	l := newLab(t)
	flows, links := l.flows(), l.site.Links()
	one, err := xdp.Open(xdp.Config{CPUs: []int{0}, Settle: 50 * time.Millisecond, Paths: []xdp.Path{
		{Flow: &flows[uplink], Send: links.GNB, Receive: links.DNN6}, {Flow: &flows[downlink], Send: links.DNN6, Receive: links.GNB}}})
	if err != nil {
		t.Fatal(err)
	}
	sequences := []traffic.Sequence{nil, traffic.Only(downlink, 0), bothWays}
	var want []traffic.Outcome
	for _, q := range sequences {
		want = append(want, whole(t, one, schedule(q)))
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	s, e := l.openAFXDP(t)
	for i, q := range sequences {
		got := whole(t, e, schedule(q))
		same(t, &got, &want[i])
	}
	if err := errors.Join(e.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

// openAFXDP opens an engine of one generator and the sink, which send by AF_XDP.
func (l *lab) openAFXDP(t *testing.T) (*Session, *Engine) {
	t.Helper()
	member := func(name string) Member { return Member{Testbed: name, Device: l.ports[name].Name, CPUs: []int{0}} }
	s, err := Open(t.Context(), l, "c", []Member{member("a")}, member("d"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	e, err := s.Engine(t.Context(), Config{Flows: l.flows(), OneGNB: true, AFXDP: true, Settle: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return s, e
}

// TestAFXDPRoundTrip: the times in packets are those of the leader, also where a host's clock is
// wrong by far more than packets take.
func TestAFXDPRoundTrip(t *testing.T) {
	l := newLab(t)
	const wrong = 40 * time.Millisecond
	l.parts["a"].clock = foreignClock("a", wrong)
	l.parts["d"].clock = foreignClock("d", -wrong)
	_, e := l.openAFXDP(t)
	o := whole(t, e, schedule(nil))
	r := &o.Flows[uplink].RoundTrips
	r.Merge(&o.Flows[downlink].RoundTrips)
	if n := r.Returns.Count; n < o.Sent/16/4 || r.Returns.Quantile(0.5) > uint64(wrong/2) {
		t.Errorf("of %d packets %d came back, after %d us", o.Sent, n, r.Returns.Quantile(0.5)/1000)
	}
}
