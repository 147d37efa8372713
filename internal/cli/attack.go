package cli

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/behaviour"
	"github.com/upflab/upflab/internal/behaviour/attack"
	"github.com/upflab/upflab/internal/behaviour/matrix"
	"github.com/upflab/upflab/internal/scenario"
)

// attackName is what `upflab run` knows the attacks by.
const attackName = "attack"

// politeRate is the most that a UPF of somebody else gets, inputs or packets of a flood/s.
const politeRate = 1000

// runAttack attacks UPFs.
func runAttack(c *cobra.Command, f runFlags) error {
	s, err := behaviourScenario(f)
	if err != nil {
		return configError{err}
	}
	s.Name, s.Title = attackName, "What UPFs bear"
	s.Description = "Inputs made by grammar and mutation, inputs that are known to have ended UPFs, and floods: whether the UPF lives, forwards, and what users notice."
	o, err := attackOptions(f, s)
	if err != nil {
		return configError{err}
	}
	list, err := attack.Select(o, f.cases)
	if err != nil {
		return configError{err}
	}
	return runCases(c, f, matrix.Plan{Scenario: s, Cases: list})
}

// attackOptions are those of the scenario, and less for a UPF of somebody else, which
// has to be named.
func attackOptions(f runFlags, s *scenario.Scenario) (o attack.Options, err error) {
	o = attack.Options{PerSecond: s.Attack.Rate, For: s.Attack.Duration.Duration, Seed: uint64(s.Attack.Seed)}
	foreign := slices.ContainsFunc(f.duts, func(name string) bool { return strings.HasPrefix(name, "external") })
	if !foreign {
		return o, nil
	}
	allowed, err := netip.ParseAddr(f.allowed)
	if f.allowed != "" && err != nil {
		return o, fmt.Errorf("--i-am-allowed-to-attack %s: it is no IP address", f.allowed)
	}
	if allowed != s.N4.UPF {
		return o, fmt.Errorf("the DUT external was not started by upflab: an attack may end it and all sessions with it. "+
			"If its owner agrees, say so by --i-am-allowed-to-attack %s (n4.upf)", s.N4.UPF)
	}
	o.PerSecond, o.Most = min(o.PerSecond, politeRate), politeRate
	return o, nil
}

// newBehaviourReplay plays inputs that did harm again.
func newBehaviourReplay() *cobra.Command {
	var f runFlags
	c := &cobra.Command{Use: "replay FILE", Short: "Send the inputs that ended a UPF again", Args: cobra.ExactArgs(1),
		Long: `Send the inputs of a file that ` + "`upflab run attack`" + ` kept, to a UPF that is started anew, with
the addresses, TEIDs and SEIDs of this run in place of the placeholders. The exit status is
4 when they do it harm again.`,
		Example: `  upflab behaviour replay results/2026-11-22_attack/open5gs-tun/attack.pfcp.yaml --dut open5gs`,
		RunE: func(c *cobra.Command, args []string) error {
			file, inputs, err := attack.Read(args[0])
			if err != nil {
				return configError{err}
			}
			s, err := behaviourScenario(f)
			if err != nil {
				return configError{err}
			}
			s.Name, s.Title, s.Description = "replay", "Inputs that ended a UPF, again", file.Title
			if _, err := attackOptions(f, s); err != nil {
				return configError{err}
			}
			return runCases(c, f, matrix.Plan{Scenario: s, Cases: []behaviour.Case{attack.Replay(file, inputs)}})
		}}
	c.Flags().StringArrayVar(&f.duts, "dut", []string{"builtin:xdp"}, "DUT to send them to, `NAME[:MODE]`; may be repeated (see upflab dut list)")
	c.Flags().StringVar(&f.out, "out", "", "`folder` for the result; default: a new one below ./results")
	c.Flags().StringArrayVar(&f.sets, "set", nil, "change a setting of the scenario, `KEY=VALUE`; may be repeated")
	c.Flags().StringVar(&f.allowed, "i-am-allowed-to-attack", "", "`ADDRESS` of the N4 of a UPF that upflab did not start, by which you say that its owner agrees")
	return c
}
