package trials

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

func TestCurveEndsBelowOne(t *testing.T) {
	trial := &record.Trial{
		Judgement: record.Judgement{Valid: true},
		Traffic: record.Traffic{
			Latency: &record.Latency{Min: 5, Count: 4, Buckets: []record.Bucket{{UpTo: 6, Count: 3}, {UpTo: 9, Count: 1}}},
		},
	}
	got := curve(view.Group{Used: []*record.Trial{trial, trial}})
	want := []block.Point{{X: 5}, {X: 6, Y: 0.75}, {X: 9, Y: 0.9375}}
	if len(got) != len(want) {
		t.Fatalf("curve %v, want %v", got, want)
	}
	for i := range want {
		if got[i].X != want[i].X || got[i].Y != want[i].Y {
			t.Errorf("point %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func TestThinKeepsTheEnds(t *testing.T) {
	points := make([]block.Point, 1000)
	for i := range points {
		points[i] = block.Point{X: float64(i + 1), Y: float64(i) / 1000}
	}
	got := thin(points, pointsMax)
	if len(got) > pointsMax+1 || got[0].X != 1 || got[len(got)-1].X != 1000 {
		t.Errorf("%d points from %v to %v", len(got), got[0], got[len(got)-1])
	}
}
