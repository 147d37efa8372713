package coverage

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// row is a statement of upflab's, and what the machine does under which it is held against the truth.
type row struct {
	about, statement, under string
	promise
	times int // simulations of the published table
	try   func(*rand.Rand) answer
}

// answer is what one simulation came to.
type answer int

const (
	right  answer = iota // the interval contains the truth, the verdict is not false
	wrong                // it does not, it is
	silent               // upflab says that it cannot tell
)

func held(is bool) answer {
	if is {
		return right
	}
	return wrong
}

// promise is what shares of right answers keep a statement, 0..1. A verdict may be silent, and is not false then;
// an interval that is not given is not counted.
type promise struct {
	name     string
	from, to float64
	verdict  bool
}

var (
	covers = promise{"95 %", 0.93, 0.97, false}    // an interval that contains the truth
	within = promise{"≥ 95 %", 0.95, 1, false}     // an interval that is known to be wider than it has to be
	rarely = promise{"≤ 5 % false", 0.95, 1, true} // a verdict
)

// outcome are the answers of a row.
type outcome struct{ right, wrong, silent int }

func (r row) run(seed uint64, times int) (o outcome) {
	rng := rand.New(rand.NewPCG(seed, 20))
	for range times {
		switch r.try(rng) {
		case right:
			o.right++
		case wrong:
			o.wrong++
		case silent:
			o.silent++
		}
	}
	return o
}

// share is the part of the answers that counts: of intervals those that hold, of verdicts those that are false.
func (r row) share(o outcome) (of, n int) {
	if r.verdict {
		return o.wrong, o.right + o.wrong + o.silent
	}
	return o.right, o.right + o.wrong
}

// kept reports whether the binomial interval of the share reaches into what is promised. A row that never says
// anything promises nothing, and keeps it.
func (r row) kept(o outcome) bool {
	of, n := r.share(o)
	low, high := binomial(of, n)
	if r.verdict {
		low, high = 1-high, 1-low
	}
	return n == 0 || high >= r.from && low <= r.to
}

func (r row) measured(o outcome) string {
	of, n := r.share(o)
	if n == 0 {
		return "never given"
	}
	low, high := binomial(of, n)
	return fmt.Sprintf("%.1f %% (%.1f to %.1f)", 100*float64(of)/float64(n), 100*low, 100*high)
}

func (r row) told(o outcome) string {
	n := o.right + o.wrong + o.silent
	if o.silent == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*float64(o.silent)/float64(n))
}

// binomial is the interval of Clopper and Pearson, 95 %, of k in n, by bisection of the sum of the tail.
func binomial(k, n int) (low, high float64) {
	const tail = 0.025
	solve := func(above func(p float64) bool) float64 {
		lo, hi := 0.0, 1.0
		for range 50 {
			if m := (lo + hi) / 2; above(m) {
				hi = m
			} else {
				lo = m
			}
		}
		return (lo + hi) / 2
	}
	low, high = 0, 1
	if k > 0 {
		low = solve(func(p float64) bool { return 1-atMost(k-1, n, p) > tail })
	}
	if k < n {
		high = solve(func(p float64) bool { return atMost(k, n, p) < tail })
	}
	return low, high
}

// atMost is the probability of at most k in n.
func atMost(k, n int, p float64) (sum float64) {
	if p <= 0 {
		return 1
	}
	if p >= 1 {
		return 0
	}
	lg := func(v int) float64 { l, _ := math.Lgamma(float64(v) + 1); return l }
	for i := 0; i <= k; i++ {
		sum += math.Exp(lg(n) - lg(i) - lg(n-i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}
