// Package setup has the commands that prepare measurements: what this machine lacks, UPFs, scenarios.
package setup

import "github.com/spf13/cobra"

// Commands are those of the group.
func Commands() []*cobra.Command {
	return []*cobra.Command{newDoctor(), newDUT(), newScenario(), newInit(), newClean(), newVersion()}
}
