package xdp

import (
	"testing"

	"github.com/cilium/ebpf"
)

// TestInstructionBudget keeps the programs short, functions they call included: packets pay for
// their length, and the verifier's count grows with every path through them. It is a quarter
// above what there is; raise a budget only with BenchmarkProgram at hand.
func TestInstructionBudget(t *testing.T) {
	spec, err := loadUpf()
	must(t, "read the object", err)
	for name, budget := range map[string]int{upfProgUpfN3: 7500, upfProgUpfN6: 6800, upfProgUpfN3n6: 12000} {
		if n := len(spec.Programs[name].Instructions); n > budget {
			t.Errorf("%s: %d instructions, the budget is %d", name, n, budget)
		}
	}
}

// TestVerifierBudget is about what the verifier walks: it refuses a program at
// a million instructions, and old kernels walk more than new ones.
func TestVerifierBudget(t *testing.T) {
	l := newLab(t, labConfig())
	o := &l.dp.objects
	for _, c := range []struct {
		program *ebpf.Program
		budget  uint32
	}{{o.UpfN3, 28500}, {o.UpfN6, 17500}, {o.UpfN3n6, 44000}} {
		info, err := c.program.Info()
		must(t, "read a program", err)
		if n, ok := info.VerifiedInstructions(); ok && n > c.budget {
			t.Errorf("%s: the verifier walked %d instructions, the budget is %d", info.Name, n, c.budget)
		}
	}
}
