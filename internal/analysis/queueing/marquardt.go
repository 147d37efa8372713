package queueing

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// place is where a search is: parameters on the scale of the search, residuals
// there and their sum of squares.
type place struct {
	x, r []float64
	cost float64
}

func (p problem) place(x []float64) place {
	r := p.residuals(x)
	return place{x, r, squares(r)}
}

// descend finds the least squares near a place by Marquardt's method (SIAM J.
// Appl. Math. 11, 1963) within the range of each parameter.
func (p problem) descend(from place, steps int) place {
	if len(from.x) == 0 {
		return from
	}
	damping := 1e-2
	for range steps {
		jacobian := p.jacobian(from)
		next, ok := p.improve(from, jacobian, &damping)
		if !ok {
			break
		}
		gain := from.cost - next.cost
		from = next
		if gain < 1e-5*from.cost {
			break
		}
	}
	return from
}

// improve raises the damping until a step lowers the cost.
func (p problem) improve(from place, jacobian *mat.Dense, damping *float64) (place, bool) {
	for ; *damping < 1e7; *damping *= 5 {
		next := p.place(p.step(from, jacobian, *damping))
		if next.cost < from.cost {
			*damping = max(*damping/10, 1e-9)
			return next, true
		}
	}
	return from, false
}

// step solves (JᵀJ + damping diag) d = Jᵀr and stays in range.
func (p problem) step(from place, jacobian *mat.Dense, damping float64) []float64 {
	n := len(from.x)
	x := append([]float64(nil), from.x...)
	normal := normalMatrix(jacobian, damping)
	var gradient, delta mat.VecDense
	gradient.MulVec(jacobian.T(), mat.NewVecDense(len(from.r), from.r))
	var c mat.Cholesky
	if !c.Factorize(normal) || c.SolveVecTo(&delta, &gradient) != nil {
		return x
	}
	for i := range n {
		low, high := p.all[i].bounds()
		x[i] = min(max(x[i]-delta.AtVec(i), low), high)
	}
	return x
}

// normalMatrix is JᵀJ with a damped diagonal; parameters without effect get 1.
func normalMatrix(jacobian *mat.Dense, damping float64) *mat.SymDense {
	var square mat.Dense
	square.Mul(jacobian.T(), jacobian)
	n, _ := square.Dims()
	normal := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			normal.SetSym(i, j, square.At(i, j))
		}
		d := normal.At(i, i)
		if d < 1e-20 {
			d = 1
		}
		normal.SetSym(i, i, d*(1+damping)+1e-14)
	}
	return normal
}

// jacobian by differences. A parameter at an end of its range that wants to
// leave it has no column, so that the others are solved without it.
func (p problem) jacobian(from place) *mat.Dense {
	n := len(from.x)
	j := mat.NewDense(len(from.r), n, nil)
	for i := range n {
		column := p.column(from, i)
		slope := 0.0
		for k, v := range column {
			slope += v * from.r[k]
		}
		low, high := p.all[i].bounds()
		if (from.x[i] <= low && slope > 0) || (from.x[i] >= high && slope < 0) {
			continue
		}
		j.SetCol(i, column)
	}
	return j
}

func (p problem) column(from place, i int) []float64 {
	h := 1e-4
	if p.coarse {
		h = 0.04
	}
	if _, high := p.all[i].bounds(); from.x[i]+h > high {
		h = -h
	}
	x := append([]float64(nil), from.x...)
	x[i] += h
	column := p.residuals(x)
	for k := range column {
		column[k] = (column[k] - from.r[k]) / h
	}
	return column
}

// search is the best place from all starts: the best few are followed.
func (p problem) search() place {
	var best []place
	for _, x := range p.starts() {
		best = keepBest(best, p.place(x), 2)
	}
	if p.coarse {
		return p.descend(best[0], 10)
	}
	found := place{cost: math.Inf(1)}
	for _, start := range best {
		if at := p.descend(start, 40); at.cost < found.cost {
			found = at
		}
	}
	return found
}

// keepBest inserts a place into a short list in order of cost.
func keepBest(best []place, p place, most int) []place {
	at := len(best)
	for at > 0 && best[at-1].cost > p.cost {
		at--
	}
	best = append(best[:at], append([]place{p}, best[at:]...)...)
	return best[:min(len(best), most)]
}
