package scenario

import (
	"strings"
	"testing"
)

// TestUnused: what changes nothing is refused, unless it is the usual value, or weaker than the key
// that leaves its part out.
func TestUnused(t *testing.T) {
	for _, c := range []struct {
		name, set, says string
	}{
		{"quick", "stress.targets=1ms:0.001", "stress.targets changes nothing"},
		{"quick", "stress.taps=16", ""},
		{"quick", "stress.taps=64", "stress.taps changes nothing"},
		{"quick", "soak.loss_budget=0.1", "soak.loss_budget changes nothing"},
		{"quick", "control.window=5", "control.window changes nothing"},
		{"stress", "stress.targets=1ms:0.001", ""},
		{"soak", "soak.loss_budget=0.1", ""},
		{"control-plane", "control.window=5", ""},
	} {
		_, err := Open(c.name, []string{c.set}, false)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s with %s: %v, want %q", c.name, c.set, err, c.says)
		}
	}
	if _, err := Open("stress", []string{"stress.arrivals=", "loads=1k"}, false); err != nil {
		t.Errorf("a study without its arrivals: %v", err)
	}
}
