package plan

// controlSteps are the trials of wire, and of a UPF its study, which is made once.
func controlSteps(p *Plan, i, repeat int) int {
	switch {
	case IsReference(p.Targets[i].Name()):
		return len(p.Specs(repeat))
	case repeat > 1:
		return 0
	}
	return 1
}
