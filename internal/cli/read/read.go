// Package read has the commands that read results.
package read

import "github.com/spf13/cobra"

// Commands are those of the group.
func Commands() []*cobra.Command {
	return []*cobra.Command{newReport(), newCompare(), newCheck(), newHistory(), newServe(), newPublish(), newExport(), newModel(),
		newEnergy(), newExplain()}
}
