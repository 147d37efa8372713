package measure

import (
	"fmt"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/machine/instructions"
	"github.com/upflab/upflab/internal/scenario"
)

// counts reports whether a run counts instructions, for which it needs a virtual machine where this machine is none that
// counts them.
func (f runFlags) counts(name string) (bool, error) {
	s, err := f.open(name, f.Sets)
	if err != nil || s.Kind != scenario.KindInstructions {
		return false, err
	}
	if f.site != "" && f.site != SiteVM {
		return false, exit.WrongConfig(fmt.Errorf("--site %s: a scenario of kind %s counts in a virtual machine that it boots by itself; leave --site out",
			f.site, s.Kind))

	}
	return instructions.Check() != nil, nil
}
