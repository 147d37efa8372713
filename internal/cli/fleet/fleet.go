// Package fleet has the commands of campaigns over many machines.
package fleet

import "github.com/spf13/cobra"

// Commands are those of the group.
func Commands() []*cobra.Command {
	return []*cobra.Command{newCampaign(), newHub(), newAgent()}
}
