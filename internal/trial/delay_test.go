package trial

import (
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// Fewer values than an interval takes have none; more have one around the quantile.
func TestLatencyIntervals(t *testing.T) {
	var few, many traffic.Histogram
	for v := range uint64(5) {
		few.Add(v)
	}
	for v := range uint64(100_000) {
		many.Add(v)
	}
	if l := latency(&few); l.P50Low != 0 || l.P50High != 0 || l.P99High != 0 {
		t.Errorf("five values: %+v", l)
	}
	l := latency(&many)
	for _, x := range [][3]uint64{{l.P50Low, l.P50, l.P50High}, {l.P99Low, l.P99, l.P99High}, {l.P999Low, l.P999, l.P999High}} {
		if x[0] == 0 || x[0] > x[1] || x[1] > x[2] {
			t.Errorf("quantile %d is in %d to %d", x[1], x[0], x[2])
		}
	}
	if latency(&traffic.Histogram{}) != nil {
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
