package stats

// Tail is the probability that Student's t with df degrees of freedom, over 0, exceeds t.
func Tail(t, df float64) float64 { return studentTail(t, df) }
