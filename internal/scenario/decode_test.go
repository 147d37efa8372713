package scenario

import (
	"strings"
	"testing"
)

// TestSmallRatios: a share that is written with an exponent is read, and judged, as any other.
func TestSmallRatios(t *testing.T) {
	s, err := Open("stress", []string{"stress.targets=1ms:1e-5", "until.precision=1e-9"}, false)
	if err == nil || strings.Contains(err.Error(), "decode") {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = Open("stress", []string{"stress.targets=1ms:1e-5"}, false)
	if err != nil || s.Stress.Targets[0].Loss != 1e-5 {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = Open("soak", []string{"soak.loss_budget=1e-7"}, false)
	if err != nil || s.Soak.LossBudget != 1e-7 {
		t.Errorf("%+v, %v", s, err)
	}
}
