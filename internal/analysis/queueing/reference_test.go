package queueing

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// referenceRow is one of testdata/reference.json, which reference.py wrote with
// SciPy.
type referenceRow struct {
	Model                      string
	Load, Mu                   float64
	Mean                       float64 `json:"mean_s"`
	P                          []float64
	Quantiles                  []float64 `json:"quantiles_s"`
	Loss, Tolerance            float64
	K, Size                    int
	Batch, SCV, Wake, Patience float64
}

func (r referenceRow) law() (law, float64) {
	batch := batches{mean: r.Batch, size: r.Size}
	switch r.Model {
	case "M/M/1":
		return mm1(r.Load, r.Mu)
	case "M/M/1/K":
		return mm1k(r.Load, r.Mu, r.K)
	case "M/G/1":
		return mg1(r.Load, gamma{1 / r.Mu, r.SCV})
	case "D/M/1/K":
		return dm1k(r.Load, r.Mu, r.K)
	case "M[X]/M/1":
		return mx1(r.Load, r.Mu, batch)
	case "M[X]/M/1/K":
		return mx1k(r.Load, r.Mu, batch, r.K)
	case "M/M/1/K wake-up":
		return wakeup(r.Load, r.Mu, sleeper{r.Wake, r.Patience}, r.K)
	}
	panic(r.Model)
}

func readReference(t *testing.T) []referenceRow {
	t.Helper()
	data, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Rows []referenceRow }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all.Rows
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)+1e-12
}

func TestLawsAgreeWithReference(t *testing.T) {
	for _, r := range readReference(t) {
		t.Run(fmt.Sprintf("%s %g k%d", r.Model, r.Load, r.K), func(t *testing.T) {
			l, loss := r.law()
			if !near(l.mean(), r.Mean, r.Tolerance) {
				t.Errorf("mean %g s, reference %g s", l.mean(), r.Mean)
			}
			if !near(loss, r.Loss, 2*r.Tolerance) {
				t.Errorf("loss %g, reference %g", loss, r.Loss)
			}
			for i, p := range r.P {
				if got := quantile(l, p); !near(got, r.Quantiles[i], r.Tolerance) {
					t.Errorf("p%g %g s, reference %g s", 100*p, got, r.Quantiles[i])
				}
			}
		})
	}
}
