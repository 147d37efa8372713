package measure

import (
	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/attack"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/scenario"
)

// newBehaviourReplay plays inputs that did harm again.
func newBehaviourReplay() *cobra.Command {
	var f runFlags
	c := &cobra.Command{Use: "replay FILE", Short: "Send inputs that ended a UPF again", Args: cobra.ExactArgs(1),
		Long: `Send the inputs of a file that ` + "`upflab run attack`" + ` kept to a fresh UPF. The
addresses, TEIDs and SEIDs of this run replace the placeholders. The exit status is 4 when
they do harm again.`,
		Example: `  upflab behaviour replay results/2026-11-22_attack/open5gs-tun/attack.pfcp.yaml --dut open5gs`,
		RunE: func(c *cobra.Command, args []string) error {
			file, inputs, err := attack.Read(args[0])
			if err != nil {
				return exit.WrongConfig(err)
			}
			s, err := f.open(string(scenario.KindAttack), f.Sets)
			if err != nil {
				return err
			}
			s.Name, s.Title, s.Description = "replay", "Inputs that ended a UPF, again", file.Title
			return runPlan(c, &campaign.Job{Plan: plan.Plan{Scenario: s, Cases: []behaviour.Case{attack.Replay(file, inputs)}}}, f)
		}}
	c.Flags().StringArrayVar(&f.DUTs, "dut", []string{"builtin"},
		"DUT to send them to, `NAME[:MODE]`; may be repeated (see upflab dut list)")
	c.Flags().StringVar(&f.out, "out", "", "`FOLDER` for the result; default: a new one below ./results")
	c.Flags().StringArrayVar(&f.Sets, "set", nil, "change a setting of the scenario, `KEY=VALUE`; may be repeated")
	c.Flags().StringVar(&f.Allowed, "i-am-allowed-to-attack", "",
		"`ADDRESS` of the N4 of a UPF that upflab did not start; passing it confirms that its owner has agreed")
	return c
}
