package traffic

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// packet is one that a source sent, ns.
type packet struct {
	source, flow, session int
	due, sent             uint64
}

// sentBy is the outcome of a source that sent some packets.
func sentBy(list []packet) (o Outcome) {
	o.Flows = make([]FlowOutcome, 2)
	for i := range o.Flows {
		o.Flows[i].SentBySession = make([]uint64, 4)
	}
	for _, p := range list {
		o.Intended++
		o.Sent++
		o.Lateness.Add(p.sent - p.due)
		if p.sent-p.due > 10_000 {
			o.LateSlots++
		}
		o.Sending.merge(Span{p.sent, p.sent})
		f := &o.Flows[p.flow]
		f.Sent++
		f.SentBytes += 100
		f.SentBySession[p.session]++
	}
	o.SendSeconds = o.Sending.Seconds(o.Sent)
	return o
}

// TestSourcesMakeTheWhole: what several sources report, merged in any order, is what
// one source that had sent everything would report.
func TestSourcesMakeTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []packet
	parts := make([][]packet, 3)
	for i := range 5000 {
		due := 1e6 + uint64(i)*1000
		p := packet{r.IntN(3), r.IntN(2), r.IntN(4), due, due + uint64(r.IntN(20_000))}
		all = append(all, p)
		parts[p.source] = append(parts[p.source], p)
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}} {
		var merged Outcome
		for _, i := range order {
			o := sentBy(parts[i])
			merged.Merge(&o)
		}
		if whole := sentBy(all); !reflect.DeepEqual(merged, whole) {
			t.Errorf("merged in order %v: sent %d in %v s, by flow %d and %d; the whole: %d in %v s, %d and %d", order,
				merged.Sent, merged.SendSeconds, merged.Flows[0].Sent, merged.Flows[1].Sent,
				whole.Sent, whole.SendSeconds, whole.Flows[0].Sent, whole.Flows[1].Sent)
		}
	}
}

// TestMergeKeepsWhatAnApplicationReports: it has durations but no times, and faults
// of its own.
func TestMergeKeepsWhatAnApplicationReports(t *testing.T) {
	app := Outcome{Sent: 10, SendSeconds: 2, BusyRatio: 0.5, Flows: []FlowOutcome{{
		Received: 9, ReceiveSeconds: 1.5, JitterNS: 70, Wrong: []record.Count{{Place: "HTTP status", Packets: 1}},
	}}}
	var o Outcome
	o.Merge(&app)
	f := o.Flows[0]
	if o.SendSeconds != 2 || o.BusyRatio != 0.5 || f.ReceiveSeconds != 1.5 || f.JitterNS != 70 || len(f.Wrong) != 1 {
		t.Errorf("%v s, busy %v, received in %v s, jitter %v, wrong %v", o.SendSeconds, o.BusyRatio, f.ReceiveSeconds, f.JitterNS, f.Wrong)
	}
}

func TestFaultsKeepTheirOrder(t *testing.T) {
	a := []record.Count{{Place: "payload", Packets: 1}, {Place: "x", Packets: 1}}
	b := []record.Count{{Place: "TEID", Packets: 2}, {Place: "payload", Packets: 3}}
	want := []record.Count{{Place: "TEID", Packets: 2}, {Place: "payload", Packets: 4}, {Place: "x", Packets: 1}}
	if got := addFaults(a, b); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
