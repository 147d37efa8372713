package hosts

import (
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/fuzztest"
	"github.com/upflab/upflab/internal/traffic"
)

func contains(err error, text string) bool { return strings.Contains(err.Error(), text) }

// TestMessages: what is asked and answered arrives as it was, also when it is long.
func TestMessages(t *testing.T) {
	long := arriving{Of{true, 1}, make([]uint64, 300000)}
	for i := range long.Sent {
		long.Sent[i] = uint64(1000 + i%3)
	}
	outcome := traffic.Outcome{Intended: 7, Sent: 6,
		Flows: []traffic.FlowOutcome{{},
			{Received: 5, SentBySession: []uint64{1, 2}, LossRuns: []traffic.LossRun{{Length: 1, Count: 2}}}}}
	for _, v := range []uint64{1, 70, 1 << 40} {
		outcome.Lateness.Add(v)
		outcome.Flows[1].Latency.Add(v)
	}
	for _, v := range []any{
		opening{Leader: "c", Device: "eth1", CPUs: []int{1, 2}}, long, outcome, nothing{}, count{}, progress{Phase: agreeing, First: 9},
		loading{Flows: []traffic.Flow{{Streams: []traffic.Stream{{UE: netip.MustParseAddr("10.1.2.3"), QFI: 3}},
			GNB: netip.MustParseAddr("10.0.0.1")}}, Shares: []traffic.Share{{Of: 2, Lanes: []int{1}}}},
		preparing{Of{}, traffic.Schedule{PPS: 1.5, Duration: time.Second, Sequence: traffic.Only(1, 2)}, 4},
	} {
		data, err := encode(v)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 100<<10 {
			t.Errorf("%T has %d octets", v, len(data))
		}
		got := reflect.New(reflect.TypeOf(v))
		if err := decode(data, got.Interface()); err != nil || !reflect.DeepEqual(got.Elem().Interface(), v) {
			t.Errorf("%T: %v, %+v", v, err, got.Elem())
		}
	}
}

// TestSessionsInAMessage: what a host is told of many sessions fits into a message.
func TestSessionsInAMessage(t *testing.T) {
	for _, n := range []int{1, 100000} {
		list := make([]traffic.Stream, n)
		ue := netip.MustParseAddr("10.45.0.2")
		for i := range list {
			list[i] = traffic.Stream{UE: ue, UplinkTEID: uint32(1 + 2*i), DownlinkTEID: uint32(2 + 2*i)}
			ue = ue.Next()
		}
		data, err := encode(loading{Streams: packStreams(list)})
		if err != nil || len(data) > 20<<10 {
			t.Fatalf("%d sessions: %d octets, %v", n, len(data), err)
		}
		var q loading
		if err := decode(data, &q); err != nil {
			t.Fatal(err)
		}
		if got, err := q.Streams.unpack(); err != nil || !slices.Equal(got, list) {
			t.Errorf("%d sessions came as %d, %v", n, len(got), err)
		}
	}
}

// FuzzAnswer: whatever a host is asked it answers, and does not fail.
func FuzzAnswer(f *testing.F) {
	fuzztest.Brief(f)
	for _, v := range []any{opening{Device: "none"}, of0(), waiting{}, looking{From: 3},
		loading{Flows: make([]traffic.Flow, 2)}, moving{By: 5}} {
		body, err := encode(v)
		if err != nil {
			f.Fatal(err)
		}
		data, err := envelope(question{Session: "x", Body: body})
		if err != nil {
			f.Fatal(err)
		}
		for _, method := range []string{methodOpen, methodLoad, methodLook, methodWait, methodMove} {
			f.Add(method, data, body)
		}
	}
	f.Fuzz(func(t *testing.T, method string, data, body []byte) {
		p := &Follower{}
		var r reply
		if err := decode(p.Answer(method, data), &r); err != nil {
			t.Fatal(err)
		}
		m := &membership{port: &port{}, clock: readClock, endpoint: &endpoint{}}
		if method != methodLoad { // which would load programs
			_, _ = guarded(m, method, body)
		}
	})
}

func of0() Of { return Of{} }

// guarded answers as Part does, which catches what makes no sense.
func guarded(m *membership, method string, body []byte) (answer []byte, err error) {
	return sensible(method, func() ([]byte, error) { return m.answer(method, body) })
}

func TestOffset(t *testing.T) {
	x := exchange{asked: 1000, answered: 1400, theirs: Reading{Monotonic: 5200, Kernel: "other"}}
	if o := x.offset("own"); o != (Offset{By: -4000, ErrorNS: 200}) {
		t.Errorf("%+v", o)
	}
	if o := x.offset("other"); o != (Offset{Same: true}) {
		t.Errorf("hosts with one clock: %+v", o)
	}
	if o := x.offset(""); o.Same {
		t.Error("clocks that are not known are not the same")
	}
	old, now := Offset{By: 5, ErrorNS: 100}, Offset{By: 9, ErrorNS: 400}
	if o := now.better(old, 100*time.Microsecond); o.By != 5 || o.ErrorNS != 160 {
		t.Errorf("an old one that is better: %+v", o)
	}
	if o := now.better(old, time.Second); o != now {
		t.Errorf("an old one that has drifted: %+v", o)
	}
}
