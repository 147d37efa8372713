package datapath

import "testing"

// TestReasonRows: each reason has a name of its own, and says what to look at.
func TestReasonRows(t *testing.T) {
	named := map[string]Reason{}
	for _, r := range Reasons() {
		name := r.String()
		if name == "" || r.Look() == "" {
			t.Errorf("reason %d, %q, has no row in reason.go", r, name)
		}
		if other, taken := named[name]; taken {
			t.Errorf("reasons %d and %d are both %q", other, r, name)
		}
		named[name] = r
	}
}
