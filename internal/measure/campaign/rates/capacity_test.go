package rates

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/record"
)

// A device that forwards so many packets/s and loses the rest.
func forwarding(pps float64) search.Trial {
	return func(_ context.Context, offered float64, d time.Duration) (search.Outcome, error) {
		sent := offered * d.Seconds()
		lost := max(0, offered-pps) * d.Seconds()
		return search.Outcome{Sent: uint64(sent), Lost: uint64(lost), Seconds: d.Seconds(), Valid: true, LimitedBy: record.LimitDUT}, nil
	}
}

func TestCapacitySearch(t *testing.T) {
	for _, pps := range []float64{800, 6000, 250_000, 900_000} {
		report, err := capacitySearch(1e6).Run(context.Background(), forwarding(pps))
		g, _ := report.Goal(string(record.GoalCapacity))
		if err != nil || g.LowerBound == nil {
			t.Fatalf("%v pps: %v, %+v", pps, err, report.Reasons)
		}
		if found := g.LowerBound.PPS; math.Abs(found/pps-1) > 2*capacityWidth {
			t.Errorf("found %.0f pps, the device forwards %v", found, pps)
		}
		if n := len(report.Trials); n > 40 {
			t.Errorf("%v pps: %d trials", pps, n)
		}
	}
}
