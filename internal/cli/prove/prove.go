// Package prove has the commands that prove the bench itself.
package prove

import "github.com/spf13/cobra"

// Commands are those of the group.
func Commands() []*cobra.Command {
	return []*cobra.Command{newSelftest(), newVerify(), newCalibrate(), newRoundRobin(), newBench()}
}
