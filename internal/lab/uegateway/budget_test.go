package uegateway

import (
	"testing"

	"github.com/cilium/ebpf"
)

// TestVerifierBudget keeps the programs short: packets pay for their length. The budgets are a quarter above what
// the verifier of Linux 6.18 walks (359 and 982): older ones walk up to 1.2 times as many.
func TestVerifierBudget(t *testing.T) {
	g := frameGateway(t)
	for _, c := range []struct {
		program *ebpf.Program
		budget  uint32
	}{{g.prog.FromUe, 450}, {g.prog.FromN3, 1230}} {
		info, err := c.program.Info()
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := info.VerifiedInstructions(); ok && n > c.budget {
			t.Errorf("%s: the verifier walked %d instructions, the budget is %d", info.Name, n, c.budget)
		}
	}
}
