package queueing

import (
	"math"
	"math/cmplx"
)

// transformed is a law given by its Laplace-Stieltjes transform E exp(-s S).
type transformed struct {
	average   float64
	transform func(s complex128) complex128
}

func (l transformed) mean() float64 { return l.average }

// Terms of the sum, and of the average over its last partial sums.
const (
	eulerTerms  = 15
	eulerSmooth = 11
)

// tail inverts (1 - E exp(-sS))/s by the Euler algorithm (Abate and Whitt, ORSA
// Journal on Computing 7, 1995): its error is near 1e-7 where the law is smooth.
func (l transformed) tail(t float64) float64 {
	if t <= 0 {
		return 1
	}
	const accuracy = 18.4
	at := func(k int) float64 {
		s := complex(accuracy/(2*t), float64(k)*math.Pi/t)
		return real((1 - l.transform(s)) / s)
	}
	sum, average := at(0)/2, 0.0
	for k := 1; k <= eulerTerms+eulerSmooth; k++ {
		sum += float64(1-2*(k%2)) * at(k)
		if k >= eulerTerms {
			average += binomial(eulerSmooth, k-eulerTerms) * sum
		}
	}
	value := math.Exp(accuracy/2) / t * average / (1 << eulerSmooth)
	return min(max(value, 0), 1)
}

func binomial(n, k int) float64 {
	b := 1.0
	for i := range k {
		b *= float64(n-i) / float64(i+1)
	}
	return b
}

// gamma is a service time by its mean, seconds, and its squared coefficient of
// variation (scv).
type gamma struct{ average, scv float64 }

func (g gamma) transform(s complex128) complex128 {
	return cmplx.Exp(-cmplx.Log(1+s*complex(g.average*g.scv, 0)) / complex(g.scv, 0))
}
