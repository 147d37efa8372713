package figure

import "testing"

// Figures that say what was done, at whatever speed.
func TestOfSpeed(t *testing.T) {
	for _, name := range []string{"duplicates", "reordered", "wrong", "memory_bytes", "n4_findings", "behaviour.findings", "resilience.problems"} {
		if f, known := Of(name); !known || f.OfSpeed() {
			t.Errorf("%s: known %v, of speed %v", name, known, f.OfSpeed())
		}
	}
	for _, f := range All() {
		if f.Unit != Count && f.Unit != Bytes && !f.OfSpeed() {
			t.Errorf("%s in %s is of speed", f.Name, f.Unit)
		}
	}
}
