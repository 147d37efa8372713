package queueing

import "math"

// place is where a search is: parameters on the scale of the search, residuals
// there and their sum of squares.
type place struct {
	x, r []float64
	cost float64
}

func (p problem) place(x []float64) place {
	r := p.residuals(x)
	cost := squares(r)
	if math.IsNaN(cost) {
		cost = math.Inf(1) // the model has no number for a load here, which is worse than any
	}
	return place{x, r, cost}
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
func (p problem) improve(from place, jacobian [][]float64, damping *float64) (place, bool) {
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
func (p problem) step(from place, jacobian [][]float64, damping float64) []float64 {
	x := append([]float64(nil), from.x...)
	gradient := make([]float64, len(jacobian))
	for i, column := range jacobian {
		gradient[i] = dot(column, from.r)
	}
	delta, ok := solve(normalMatrix(jacobian, damping), gradient)
	if !ok {
		return x
	}
	for i := range x {
		low, high := p.all[i].bounds()
		x[i] = min(max(x[i]-delta[i], low), high)
	}
	return x
}

// normalMatrix is JᵀJ with a damped diagonal; parameters without effect get 1.
func normalMatrix(jacobian [][]float64, damping float64) [][]float64 {
	normal := make([][]float64, len(jacobian))
	for i, column := range jacobian {
		for _, other := range jacobian {
			normal[i] = append(normal[i], dot(column, other))
		}
		d := normal[i][i]
		if d < 1e-20 {
			d = 1
		}
		normal[i][i] = d*(1+damping) + 1e-14
	}
	return normal
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// solve gives x of a x = b for a symmetric and positive definite, by Cholesky's factors, which
// replace a; false: it is not.
func solve(a [][]float64, b []float64) (x []float64, ok bool) {
	x = append([]float64(nil), b...)
	for i := range a { // a = L Lᵀ, and x becomes that of L x = b
		for j := range i {
			a[i][j] = (a[i][j] - dot(a[i][:j], a[j][:j])) / a[j][j]
		}
		d := a[i][i] - dot(a[i][:i], a[i][:i])
		if !(d > 0) {
			return nil, false
		}
		a[i][i] = math.Sqrt(d)
		x[i] = (x[i] - dot(a[i][:i], x[:i])) / a[i][i]
	}
	for i := len(a) - 1; i >= 0; i-- { // Lᵀ
		for k := i + 1; k < len(a); k++ {
			x[i] -= a[k][i] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x, true
}

// jacobian has a column for each parameter, by differences. A parameter at an end of its range that
// wants to leave it has zeros, so that the others are solved without it.
func (p problem) jacobian(from place) [][]float64 {
	var columns [][]float64
	for i := range from.x {
		column := p.column(from, i)
		slope := dot(column, from.r)
		low, high := p.all[i].bounds()
		if (from.x[i] <= low && slope > 0) || (from.x[i] >= high && slope < 0) {
			clear(column)
		}
		columns = append(columns, column)
	}
	return columns
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
	found := best[0]
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
