package plan

import (
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/resilience"
)

// incidentTakes is how long an incident takes, about.
const incidentTakes = 8 * time.Second

// Incidents are those that happen to each DUT.
func (p *Plan) Incidents() ([]resilience.Kind, error) { return resilience.Select(p.Scenario.Cases) }

// checkIncidents finds incidents that do not exist, more UEs than have addresses, and a UPF that runs elsewhere with an N3
// of IPv6.
func checkIncidents(p *Plan) error {
	list, err := p.Incidents()
	if err != nil {
		return err
	}
	ues := 0
	for _, k := range list {
		ues += k.UEs
	}
	if room := p.Scenario.UE.Room(); ues > room {
		return fmt.Errorf("the incidents have %d UEs in all, and there are addresses for %d: set ue.pool, or ue.pool6, to a larger subnet",
			ues, room)
	}
	if p.Targets.foreign() && p.Scenario.Transport.IPv6() {
		return errors.New("transport is ipv6, but UEs move to a second gNB, which answers ARP and no Neighbour Discovery of a UPF that " +
			"runs elsewhere; set transport to ipv4")
	}
	return nil
}

func incidentSteps(p *Plan, _, _ int) int {
	list, _ := p.Incidents() // checked
	return len(list)
}

func outlineIncidents(p *Plan, o *Outline) time.Duration {
	list, _ := p.Incidents() // checked
	o.Cases, o.Of = len(list), "incident"
	return time.Duration(len(list)) * incidentTakes
}
