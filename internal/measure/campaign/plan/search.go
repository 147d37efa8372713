package plan

import (
	"slices"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/campaign/methods"
	"github.com/upflab/upflab/internal/scenario"
)

// OfWire are those of the methods that wire is searched by. Wire has no buffer to find,
// and beside UPFs it is not searched for rates: it is asked whether it carries theirs.
func (p *Plan) OfWire(list []scenario.Method) []scenario.Method {
	return slices.DeleteFunc(list, func(m scenario.Method) bool {
		return m == scenario.MethodBackToBack || m == methods.Forwarding || methods.FindsRate(m) && !p.wireAlone()
	})
}

// wireAlone reports whether wire is to be searched as a UPF is.
func (p *Plan) wireAlone() bool {
	return p.SearchWire || !slices.ContainsFunc(p.Targets, func(t dut.Target) bool { return !IsReference(t.Name()) })
}

// checkSearches finds settings of searches that cannot be.
func checkSearches(p *Plan) error {
	return methods.Check(p.Scenario.Search)
}
