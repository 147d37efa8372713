package plan

import "github.com/upflab/upflab/internal/machine/netdev"

// checkIPsec refuses DUTs whose N3 cannot be protected, and a kernel that cannot protect it, where the scenario asks for that.
func checkIPsec(p *Plan) error {
	asked := p.Scenario.N3.IPsec.Asked()
	for _, t := range p.Targets {
		if err := t.TakesIPsec(asked); err != nil {
			return err
		}
	}
	if !asked || p.CPUs != nil { // another machine's kernel
		return nil
	}
	return netdev.CanProtect()
}
