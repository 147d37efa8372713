package trial

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// A class of one session of four, which alone loses packets: the counts are those of its
// sessions, and its loss is that of the windows that count.
func TestClassesOfATrial(t *testing.T) {
	s := settings(t, "stress", "qfis=5,1,1,1", "sessions=4")
	var before, after traffic.Histogram
	before.Add(7)
	after.Add(7)
	after.Add(1000)
	seen := classesBetween([]classReading{{"QFI 5", 0, &before, &before}, {"QFI 1", 1, &before, &before}},
		[]classReading{{"QFI 5", 0, &after, &after}, {"QFI 1", 1, &before, &before}})
	m := measured{spec: Spec{Direction: record.Uplink}, readings: readings{classes: seen}}
	m.outcome.Flows = []traffic.FlowOutcome{{SentBySession: []uint64{100, 100, 100, 100}, ReceivedBySession: []uint64{80, 100, 100, 100}}}
	got := record.Trial{TxPPS: 4000, FrameLossRatio: 0.025} // half of what the whole trial lost
	m.fillClasses(&got, s)
	if len(got.Classes) != 2 {
		t.Fatalf("%+v", got.Classes)
	}
	a, b := got.Classes[0], got.Classes[1]
	if a.Class != "QFI 5" || a.Sessions != 1 || a.TxPackets != 100 || a.TxPPS != 1000 || math.Abs(a.FrameLossRatio-0.1) > 1e-9 || a.Latency == nil || a.Latency.Count != 1 {
		t.Errorf("%+v", a)
	}
	if b.Class != "QFI 1" || b.Sessions != 3 || b.TxPackets != 300 || b.TxPPS != 3000 || b.FrameLossRatio != 0 || b.Latency != nil {
		t.Errorf("%+v", b)
	}
}
