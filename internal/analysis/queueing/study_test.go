package queueing

import (
	"math"
	"testing"
)

// TestStudyFindsItsOwnCurve: L = fac/(mu - load) + c with known parameters.
func TestStudyFindsItsOwnCurve(t *testing.T) {
	var points []Point
	for load := 1000.0; load <= 7000; load += 1000 {
		mean := 2e9/(7400-load) + 1.5e6
		points = append(points, Point{LoadPPS: load, MeanNS: mean, P95NS: 1.5e6 + math.Log(20)*(mean-1.5e6), P99NS: 9e7})
	}
	loads, err := collect(points)
	if err != nil {
		t.Fatal(err)
	}
	s := fitStudy(loads)
	if !near(s.Fit.MuPPS, 7400, 1e-3) || !near(s.Fit.Fac, 2e9, 1e-2) || !near(s.Fit.DelayNS, 1.5e6, 1e-2) {
		t.Errorf("least squares: %+v", s.Fit)
	}
	if !near(s.Grid.MuPPS, 7400, 0.03) || s.Grid.MSE < s.Fit.MSE || s.Grid.MeanErrorRatio > 0.15 {
		t.Errorf("grid: %+v", s.Grid)
	}
	if s.Fit.P95ErrorRatio > 0.01 || s.Fit.P99ErrorRatio < 0.1 {
		t.Errorf("errors: %+v", s.Fit)
	}
}

// TestStudyPercentile: of an exponential sojourn, -ln(1 - 0.99) means.
func TestStudyPercentile(t *testing.T) {
	s := StudyFit{MuPPS: 1000, Fac: 1e9}
	if got := s.QuantileNS(500, 0.99) / s.MeanNS(500); !near(got, 4.605170186, 1e-9) {
		t.Error(got)
	}
	if !math.IsInf(s.MeanNS(1000), 1) {
		t.Error("finite at mu")
	}
}
