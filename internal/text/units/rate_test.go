package units

import "testing"

func TestRate(t *testing.T) {
	for pps, want := range map[float64]string{999: "999 pps", 1000: "1.0 kpps", 150e3: "150.0 kpps",
		999_949: "999.9 kpps", 999_950: "1.00 Mpps", 2.4e6: "2.40 Mpps"} {
		if got := Rate(pps); got != want {
			t.Errorf("Rate(%v) = %q, want %q", pps, got, want)
		}
	}
}
