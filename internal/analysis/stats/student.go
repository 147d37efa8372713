package stats

import "math"

// studentTail is the probability that Student's t with df degrees of freedom
// exceeds t. df may be broken, and infinite for the normal distribution.
func studentTail(t, df float64) float64 {
	const normal = 1e7 // the two agree to 8 digits, and the fraction of the incomplete beta function loses more
	if df > normal {
		return math.Erfc(t/math.Sqrt2) / 2
	}
	if math.IsInf(t, 0) {
		return (1 - math.Copysign(1, t)) / 2
	}
	half := incompleteBeta(df/2, 0.5, df/(df+t*t)) / 2
	if t < 0 {
		return 1 - half
	}
	return half
}

// studentQuantile is the t that is exceeded with the given probability, which
// is above 0 and at most 0.5.
func studentQuantile(tail, df float64) float64 {
	lo, hi := 0.0, 1.0
	for studentTail(hi, df) > tail {
		lo, hi = hi, 2*hi
	}
	for range 100 {
		middle := (lo + hi) / 2
		if studentTail(middle, df) > tail {
			lo = middle
		} else {
			hi = middle
		}
	}
	return (lo + hi) / 2
}

// incompleteBeta is the regularised incomplete beta function I_x(a, b), by the
// continued fraction 26.5.8 of Abramowitz and Stegun.
func incompleteBeta(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // where the fraction converges slowly
		return 1 - incompleteBeta(b, a, 1-x)
	}
	ab, _ := math.Lgamma(a + b)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	front := math.Exp(ab - la - lb + a*math.Log(x) + b*math.Log1p(-x))
	return front * betaFraction(a, b, x) / a
}

// betaFraction evaluates the fraction by Lentz's method.
func betaFraction(a, b, x float64) float64 {
	const steps, enough, tiny = 500, 1e-14, 1e-300
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/away(1-(a+b)*x/(a+1))
	f := d
	for m := 1.0; m < steps; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/away(1+even*d), away(1+even/c)
		f *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/away(1+odd*d), away(1+odd/c)
		f *= d * c
		if math.Abs(d*c-1) < enough {
			break
		}
	}
	return f
}

// Reach is how far a value with this standard deviation may lie from the true one, with Confidence; df are the
// degrees of freedom of the deviation, 0 where it is known.
func Reach(sd, df float64) float64 {
	if df <= 0 {
		df = math.Inf(1)
	}
	return studentQuantile((1-Confidence)/2, df) * sd
}
