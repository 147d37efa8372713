package trial

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// Packets that were counted by time have intervals around their quantiles, wider ones where
// neighbours are late together; else the result says why there is none.
func TestLatencyIntervals(t *testing.T) {
	counted := func(packets int, together uint64) *record.Latency {
		f := &traffic.FlowOutcome{}
		r := rand.New(rand.NewPCG(3, together))
		ring := window.New[window.Received]()
		burst := 0.0
		for i := range packets {
			if uint64(i)%together == 0 {
				burst = r.ExpFloat64()
			}
			due := uint64(1<<40 + i*10_000)
			for id := window.ID(due) - 400; window.ID(due) > 400 && i%105 == 0 && id < window.ID(due)-200; id++ {
				ring.Fold(id, true, func(w *window.Received) { f.AddWindow(id, w) })
			}
			ring.At(due).Latency.Add(uint64(1e5 * (burst + 0.1*r.Float64())))
		}
		for id := window.ID(1 << 40); id <= window.ID(uint64(1<<40+packets*10_000)); id++ {
			ring.Fold(id, true, func(w *window.Received) { f.AddWindow(id, w) })
		}
		return latency(&f.Latency, &f.Blocks)
	}
	alone, bursts := counted(300_000, 1), counted(300_000, 100)
	for _, l := range []*record.Latency{alone, bursts} {
		for _, x := range [][3]uint64{{l.P50Low, l.P50, l.P50High}, {l.P99Low, l.P99, l.P99High}} {
			if x[0] == 0 || x[0] > x[1] || x[1] > x[2] {
				t.Errorf("quantile %d is in %d to %d: %v", x[1], x[0], x[2], l.NotKnown)
			}
		}
	}
	if wide, narrow := bursts.P99High-bursts.P99Low, alone.P99High-alone.P99Low; wide < 4*narrow {
		t.Errorf("p99 of bursts of 100 is within %d ns, of single packets within %d", wide, narrow)
	}
	if bursts.NotKnown["p9999"] != record.FewPackets || alone.NotKnown["p99"] != "" {
		t.Errorf("not known: %v and %v", bursts.NotKnown, alone.NotKnown)
	}
	if l := counted(100, 1); l.P50Low != 0 || l.NotKnown["p50"] != record.Dependent {
		t.Errorf("1 ms: %+v", l)
	}
	var h traffic.Histogram
	h.Add(5)
	if l := latency(&h, nil); l.P50Low != 0 || l.NotKnown["p99"] != record.NotByWindows {
		t.Errorf("not by windows: %+v", l)
	}
	if latency(&traffic.Histogram{}, nil) != nil {
		t.Error("nothing has a latency")
	}
}

func TestExtent(t *testing.T) {
	f := &traffic.FlowOutcome{ExtentUnknown: 2}
	for _, e := range []uint64{1, 1, 4} {
		f.Extents.Add(e)
	}
	if got, want := extent(f), (&record.Extent{Mean: 2, P50: 1, P99: 4, Max: 4, Count: 3, Unknown: 2}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if extent(&traffic.FlowOutcome{}) != nil {
		t.Error("an extent without reordered packets")
	}
}

func TestAddRuns(t *testing.T) {
	a := []traffic.LossRun{{Length: 1, Count: 5}, {Length: 3, Count: 1}}
	b := []traffic.LossRun{{Length: 1, Count: 2}, {Length: 2, Count: 1}, {Length: 9, Count: 4}}
	want := []traffic.LossRun{{Length: 1, Count: 7}, {Length: 2, Count: 1}, {Length: 3, Count: 1}, {Length: 9, Count: 4}}
	if got := traffic.AddRuns(a, b); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if len(a) != 2 || a[0].Count != 5 {
		t.Error("a flow's own runs were changed")
	}
}
