package xdp

import (
	"fmt"
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
// a million instructions. Linux 6.1 walks up to 1.2 times as many as 6.18.
func TestVerifierBudget(t *testing.T) {
	l := newLab(t, labConfig())
	o := &l.dp.objects
	for _, c := range []struct {
		program *ebpf.Program
		budget  uint32
	}{{o.UpfN3, 28500}, {o.UpfN6, 17500}, {o.UpfN3n6, 44000}} {
		if beforeLinux(t, 6, 12) {
			c.budget += c.budget / 5
		}
		info, err := c.program.Info()
		must(t, "read a program", err)
		if n, ok := info.VerifiedInstructions(); ok && n > c.budget {
			t.Errorf("%s: the verifier walked %d instructions, the budget is %d", info.Name, n, c.budget)
		}
	}
}

func beforeLinux(t *testing.T, major, minor int) bool {
	t.Helper()
	var a, b int
	_, err := fmt.Sscanf(kernelRelease(), "%d.%d", &a, &b)
	must(t, "read the kernel's release", err)
	return a < major || a == major && b < minor
}
