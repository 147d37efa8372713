package verdict

import (
	"strings"
	"testing"
)

func TestDisturbed(t *testing.T) {
	for _, c := range []struct {
		why   string
		e     Evidence
		words []string // of the doubt; none: there is none
	}{
		{"undisturbed", Evidence{Tx: 300, DurationS: 3, WantedS: 3}, nil},
		{"as long as it took", Evidence{Tx: 300, DurationS: 3, WantedS: 3, DisturbedS: 1}, nil},
		{"not all", Evidence{Tx: 300, DurationS: 2, WantedS: 2.5, DisturbedS: 0.5}, []string{"only 2 s of the 2.5 s", "in 2.5 s"}},
		{"less than a third, by the host", Evidence{Tx: 300, DurationS: 1, WantedS: 3, DisturbedS: 8}, []string{"the host takes the CPUs"}},
		{"less than a third, by a program",
			Evidence{Tx: 300, DurationS: 1, WantedS: 3, DisturbedS: 8, Disturber: "cc1"}, []string{"cc1: end it"}},
		{"everything counts", Evidence{Tx: 300, DurationS: 9, WantedS: 3, DisturbedS: 8.9, Void: true},
			[]string{"only 0.1 s", "in 9 s", "everything counts"}},
		{"as good as nothing", Evidence{Tx: 300, DurationS: 3, WantedS: 1, DisturbedS: 3 - 3.99e-8, Void: true},
			[]string{"less than 1 ms of the 1 s"}},
	} {
		got := disturbedDoubt(c.e)
		if (got == "") != (len(c.words) == 0) {
			t.Errorf("%s: %q", c.why, got)
		}
		for _, w := range c.words {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is not in %q", c.why, w, got)
			}
		}
		if why := durationFault(c.e); why != "" {
			t.Errorf("%s: not valid: %s", c.why, why)
		}
	}
	if durationFault(Evidence{Tx: 300, DurationS: 1, WantedS: 3, DisturbedS: 0.5}) == "" {
		t.Error("a trial that ended early is valid")
	}
}
