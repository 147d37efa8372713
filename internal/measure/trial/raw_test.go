package trial

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// TestRawSaysWhyEverythingCounts: a trial that was repeated with everything counted says so again when it is computed
// from its raw data, also one of a search, whose reasons nothing else knows.
func TestRawSaysWhyEverythingCounts(t *testing.T) {
	const why = "that is the UPF's own doing"
	m := &measured{
		spec: Spec{Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: 1000}, Duration: time.Second, Everything: why},
		outcome: traffic.Outcome{Intended: 1000, Sent: 1000, SendSeconds: 1, Flows: []traffic.FlowOutcome{
			{Sent: 1000, SentBytes: 1e6, Received: 1000, ReceivedBytes: 1e6, Latency: histogramOf(50, 1000)}}},
	}
	raw := m.raw(judge{})
	text, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	read := &Raw{}
	if err := json.Unmarshal(text, read); err != nil {
		t.Fatal(err)
	}
	read.Outcome = raw.Outcome
	read.Trial = record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: 1000}}
	if again := read.Recompute(&scenario.Scenario{}); !slices.Contains(again.Reasons, why) {
		t.Errorf("%q", again.Reasons)
	}
}
