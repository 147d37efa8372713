package plan

import (
	"slices"

	"github.com/upflab/upflab/internal/lab/dut"
)

// Targets are what a plan measures.
type Targets []dut.Target

// upfs are the targets that are no references.
func (l Targets) upfs() []dut.Target {
	return slices.DeleteFunc(slices.Clone(l), func(t dut.Target) bool { return IsReference(t.Name()) })
}

// foreign reports whether upflab does not start some of the DUTs.
func (l Targets) foreign() bool {
	return slices.ContainsFunc(l, func(t dut.Target) bool { return t.Info().External })
}

// Elsewhere reports whether upflab starts none of the DUTs, so that it places none.
func (l Targets) Elsewhere() bool {
	return !slices.ContainsFunc(l, func(t dut.Target) bool { return !t.Info().External })
}

// The benches without a UPF that flows are compared with.
const (
	PlainBench   = "n6"    // plain forwarding
	GatewayBench = "decap" // the gateway and a bare decapsulator
)

// IsReference reports whether a DUT of that name is no UPF.
func IsReference(name string) bool {
	return slices.Contains([]string{"wire", PlainBench, GatewayBench}, name)
}
