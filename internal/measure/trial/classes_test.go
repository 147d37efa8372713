package trial

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/delayprobe"
)

// A class of one session of four, which alone loses packets: the counts are those of its
// sessions, and its loss is that of the windows that count.
func TestClassesOfATrial(t *testing.T) {
	s := scenariotest.Open(t, "stress", "qfis=5,1,1,1", "sessions=4")
	m := measured{spec: Spec{Direction: record.Uplink}, Readings: meters.Readings{Passages: []delayprobe.Passage{
		{Session: 0, SinceDue: 500, Took: 1000, Direction: record.Uplink}, {Session: 1, Took: 7, Direction: record.Downlink}}}}
	m.outcome.Flows = []traffic.FlowOutcome{{SentBySession: []uint64{100, 100, 100, 100}, ReceivedBySession: []uint64{80, 100, 100, 100}}}
	got := record.Trial{Traffic: record.Traffic{TxPPS: 4000, FrameLossRatio: 0.025}} // half of what the whole trial lost
	m.fillClasses(&got, s)
	if len(got.Classes) != 2 {
		t.Fatalf("%+v", got.Classes)
	}
	a, b := got.Classes[0], got.Classes[1]
	if a.Class != "QFI 5" || a.Sessions != 1 || a.TxPackets != 100 || a.TxPPS != 1000 ||
		math.Abs(a.FrameLossRatio-0.1) > 1e-9 || a.Latency == nil || a.Latency.Count != 1 || a.Latency.Max != 1500 ||
		a.AtDUT.Max != 1000 {
		t.Errorf("%+v", a)
	}
	if b.Class != "QFI 1" || b.Sessions != 3 || b.TxPackets != 300 || b.TxPPS != 3000 || b.FrameLossRatio != 0 || b.Latency != nil {
		t.Errorf("%+v", b)
	}
}
