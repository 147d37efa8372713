package trial

import (
	"reflect"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/meters"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
	"github.com/upflab/upflab/internal/traffic"
)

func TestWays(t *testing.T) {
	for _, c := range []struct {
		set  string
		want []record.Direction
	}{
		{"both", []record.Direction{record.Uplink, record.Downlink}},
		{"downlink,both", []record.Direction{record.Downlink, record.Uplink}},
		{"uplink", []record.Direction{record.Uplink}},
	} {
		if got := ways(scenariotest.Open(t, "quick", "directions="+c.set)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.set, got, c.want)
		}
	}
}

// histogramOf has one value n times.
func histogramOf(value uint64, n int) (h traffic.Histogram) {
	for range n {
		h.Add(value)
	}
	return h
}

// TestFillOfBoth: counts are sums, delay is the worse direction's, and each is also
// shown by itself.
func TestFillOfBoth(t *testing.T) {
	m := &measured{
		spec: Spec{Kind: record.KindLoad, Direction: record.Both, Load: record.Load{PPS: 2000}, Duration: time.Second},
		outcome: traffic.Outcome{Intended: 2000, Sent: 2000, SendSeconds: 1, Flows: []traffic.FlowOutcome{
			{Sent: 1000, SentBytes: 1486000, Received: 900, ReceivedBytes: 900 * 1442, Reordered: 1, JitterNS: 5,
				Wrong: []record.Count{{Place: "TEID", Packets: 10}}, Latency: histogramOf(50, 900)},
			{Sent: 1000, SentBytes: 1442000, Received: 800, ReceivedBytes: 800 * 1486, Reordered: 2, JitterNS: 7,
				Wrong: []record.Count{{Place: "QFI", Packets: 1}, {Place: "TEID", Packets: 2}}, Latency: histogramOf(60, 800)},
		}},
	}
	m.Drops = []meters.Drop{{Place: "ring", Packets: 250}}
	var trial record.Trial
	m.fill(&trial)
	if trial.TxPackets != 2000 || trial.RxPackets != 1700 || trial.FrameLossRatio != 0.15 || trial.Reordered != 3 ||
		trial.Wrong != 13 || trial.Unattributed != 37 {
		t.Errorf("sums %+v", trial)
	}
	if trial.TxL2bps != 8*2928000 || trial.Latency.P99 != 60 || trial.Latency.Count != 800 || trial.JitterNS != 7 {
		t.Errorf("%.0f bit/s, latency %+v, jitter %g", trial.TxL2bps, trial.Latency, trial.JitterNS)
	}
	if want := []record.Count{{Place: "TEID", Packets: 12}, {Place: "QFI", Packets: 1}}; !reflect.DeepEqual(trial.WrongWhy, want) {
		t.Errorf("wrong: %v, want %v", trial.WrongWhy, want)
	}
	if len(trial.Flows) != 2 || trial.Flows[0].Direction != "uplink" || trial.Flows[0].RxPPS != 900 || trial.Flows[1].FrameLossRatio != 0.2 {
		t.Errorf("flows %+v", trial.Flows)
	}
}

// TestWorseOfNothing: a direction of which nothing arrived has no delay to show.
func TestWorseOfNothing(t *testing.T) {
	some, none := &traffic.FlowOutcome{Latency: histogramOf(9, 1)}, &traffic.FlowOutcome{}
	if worse(none, some) || !worse(some, none) {
		t.Error("nothing is worse than something")
	}
}
