package queueing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestNumericsAsGonum: normal equations, the curve through points and the tail of chi-squared are
// those of gonum, whose matrices and interpolations are 2 MB of a program.
func TestNumericsAsGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 1 + rng.IntN(6)
		j := make([][]float64, n)
		for i := range j {
			for range 12 {
				j[i] = append(j[i], rng.NormFloat64())
			}
		}
		a := normalMatrix(j, 0.01)
		b := make([]float64, n)
		s := mat.NewSymDense(n, nil)
		for i := range n {
			b[i] = rng.NormFloat64()
			for k := range n {
				s.SetSym(i, k, a[i][k])
			}
		}
		var c mat.Cholesky
		var d mat.VecDense
		if !c.Factorize(s) || c.SolveVecTo(&d, mat.NewVecDense(n, b)) != nil {
			continue
		}
		x, ok := solve(a, b)
		for i := range x {
			if !ok || math.Abs(x[i]-d.AtVec(i)) > 1e-9*(1+math.Abs(x[i])) {
				t.Fatal(n, x, d)
			}
		}
	}
	for range 2000 {
		n := 2 + rng.IntN(8)
		var xs, ys []float64
		for range n {
			xs = append(xs, rng.Float64()*1e6)
			ys = append(ys, rng.Float64())
		}
		slices.Sort(xs)
		var f interp.FritschButland
		if f.Fit(xs, ys) != nil {
			continue
		}
		c := cpuCurve{xs, ys, monotoneSlopes(xs, ys)}
		for range 20 {
			x := xs[0] + rng.Float64()*(xs[n-1]-xs[0])
			if math.Abs(c.at(x)-f.Predict(x)) > 1e-9 {
				t.Fatal(xs, ys, x, c.at(x), f.Predict(x))
			}
		}
		for i := range xs {
			if math.Abs(c.at(xs[i])-ys[i]) > 1e-9 {
				t.Fatal("knot", i, c.at(xs[i]), ys[i])
			}
		}
	}
	for range 1000 {
		k, x := 1+float64(rng.IntN(60)), rng.Float64()*100
		if a, b := mathext.GammaIncRegComp(k/2, x/2), (distuv.ChiSquared{K: k}).Survival(x); math.Abs(a-b) > 1e-12 {
			t.Fatal(k, x, a, b)
		}
	}
}
