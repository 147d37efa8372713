package rawdata

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/traffic"
)

// TestHubsTakeTheFiles: what a run writes here is taken of a run that another host measured.
func TestHubsTakeTheFiles(t *testing.T) {
	for _, name := range Files() {
		if !new(store.Receiver).Takes(name) {
			t.Errorf("%s is not taken", name)
		}
	}
}

func sample() *trial.Raw {
	r := &trial.Raw{DUT: "builtin:xdp", Trial: record.Trial{Direction: record.Both, Kind: record.KindLoad}}
	o := &r.Outcome
	o.Intended, o.Sent, o.Skipped, o.LateSlots, o.Stalls = 110, 100, 10, 3, 1
	o.SendSeconds, o.BusyRatio, o.Doubts = 0.1234567890123, 0.5, []string{"a doubt, with a comma"}
	o.Lateness.Add(1000)
	o.Tallies.List = []traffic.Tally{{ID: 5, Intended: 60, Sent: 50, Skipped: 10}, {ID: 7, Intended: 49, Sent: 49}}
	for range 2 {
		f := traffic.FlowOutcome{Sent: 50, SentBytes: 5000, Received: 40, ReceivedBytes: 4000, LossRuns: []traffic.LossRun{{Length: 2, Count: 5}},
			Jitter: traffic.Jitter{Sum: 33, Count: 7}, JitterNS: traffic.Jitter{Sum: 33, Count: 7}.Nanoseconds()}
		f.Tallies = traffic.Tallies{Level: 1, List: []traffic.Tally{{ID: 2, Sent: 50, SentBytes: 5000}, {ID: 3, Received: 39, ReceivedBytes: 3900}}}
		for v := range uint64(40) {
			f.Latency.Add(v * 1000)
			f.Actual.Add(v * 900)
		}
		o.Flows = append(o.Flows, f)
	}
	o.Excluded = traffic.Excluded{Windows: 1, Of: 3, Seconds: 0.001, Intended: 5, Sent: 5, Received: []uint64{2, 3}, Latency: make([]traffic.Histogram, 2),
		FlowTallies: []traffic.Tallies{{List: []traffic.Tally{{ID: 6, Sent: 5, Received: 1}}}, {}}, Spans: []traffic.Span{{First: 6 << 20, Last: 7 << 20}}}
	o.Excluded.Latency[0].Add(5)
	return r
}

func written(t *testing.T, trials int) (dir string, r *record.Result, w *Writer) {
	t.Helper()
	dir = t.TempDir()
	r = &record.Result{Run: "a1b2"}
	r.Registered = record.Register(r, record.Planned{}, time.Unix(0, 0).UTC())
	w, err := Create(dir, r.Run, r.Registered)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	for n := range trials {
		if id, err := w.Add(sample()); err != nil || id != uint64(n+1) {
			t.Fatalf("trial %d: %d, %v", n, id, err)
		}
	}
	r.Raw = w.Data()
	return dir, r, w
}

// TestReadsBack: what the tables and lines have is the outcome that was written.
func TestReadsBack(t *testing.T) {
	dir, r, _ := written(t, 2)
	x, err := Open(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Trial(2)
	if err != nil {
		t.Fatal(err)
	}
	want := sample().Outcome
	want.Flows[0].Blocks.List, want.Flows[1].Blocks.List = nil, nil
	if !reflect.DeepEqual(got.Outcome, want) {
		t.Errorf("got  %+v\nwant %+v", short(got.Outcome), short(want))
	}
	if _, err := x.Trial(3); err == nil {
		t.Error("there is a third trial")
	}
}

// short leaves histograms out.
func short(o traffic.Outcome) traffic.Outcome {
	o.Lateness = traffic.Histogram{}
	o.Excluded.Latency = nil
	for i := range o.Flows {
		f := &o.Flows[i]
		f.Latency, f.Actual, f.IPDV, f.Extents = traffic.Histogram{}, traffic.Histogram{}, traffic.Histogram{}, traffic.Histogram{}
		f.RoundTrips.Returns, f.Stamps.Latency = traffic.Histogram{}, traffic.Histogram{}
	}
	return o
}

// TestSizeIsBounded: a run that has what it may keep goes on without raw data, and says so.
func TestSizeIsBounded(t *testing.T) {
	_, _, w := written(t, 1)
	w.most = 10
	if id, err := w.Add(sample()); id != 0 || err != nil || !w.Data().Full || w.Data().Trials != 1 {
		t.Errorf("%d, %v, %+v", id, err, w.Data())
	}
}

// TestRegisteredBeforeTheFirstTrial: scenario, plan and analysis are on the disk before anything is added.
func TestRegisteredBeforeTheFirstTrial(t *testing.T) {
	dir, r, _ := written(t, 0)
	text, err := os.ReadFile(filepath.Join(dir, Folder, registerFile))
	if err != nil || len(text) == 0 || r.Registered.SHA256 == "" {
		t.Errorf("%s, %v", text, err)
	}
	if x, err := Open(dir, r); err != nil || x.Trials() != 0 {
		t.Errorf("%v", err)
	}
}
