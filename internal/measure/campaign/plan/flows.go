package plan

import (
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// applicationEngine is what a run of flows has in place of an engine.
func applicationEngine(p *Plan) (record.Engine, error) {
	way := "a gateway in the kernel"
	if p.Scenario.RAN == scenario.RANExternal {
		way = "a RAN that is not upflab's"
	}
	return record.Engine{Name: "applications", Why: "the scenario has flows: iperf3, ping and web pages of UEs, through " + way}, nil
}

// outlineFlows adds the flows of a visit.
func outlineFlows(p *Plan, o *Outline) (visit time.Duration) {
	o.Flows, o.Links = p.Scenario.Flows, len(p.Scenario.LinksOf())
	for _, f := range o.Flows {
		visit += f.Duration.Duration + time.Second
	}
	return visit * time.Duration(o.Links)
}

// flows is how many a visit to a target has.
func (p *Plan) flows() int { return len(p.Scenario.LinksOf()) * len(p.Scenario.Flows) }
