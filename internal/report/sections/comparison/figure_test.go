package comparison

import "testing"

func TestSigned(t *testing.T) {
	for _, c := range []struct {
		ratio float64
		want  string
	}{
		{0, "0"}, {0.00001, "0"}, {-0.00001, "0"}, {0.0123, "+1.23"}, {-0.0996, "-10.0"}, {0.123, "+12.3"},
		{-0.996, "-100"}, {1.5, "+150"}, {9.99, "+999"}, {10, "×11"}, {149.4, "×150"}, {-1, "-100"},
	} {
		if got := signed(c.ratio); got != c.want {
			t.Errorf("signed(%v) = %q, want %q", c.ratio, got, c.want)
		}
	}
}
