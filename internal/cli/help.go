package cli

import "github.com/spf13/cobra"

// The groups of commands, in the order of the help.
const (
	toMeasure = "measure"
	toRead    = "read"
	toSetUp   = "setup"
	toProve   = "prove"
	ofFleet   = "fleet"
	ofUPF     = "upf"
)

// groups are the titles of the groups.
func groups() []*cobra.Group {
	return []*cobra.Group{{ID: toMeasure, Title: "Measure"}, {ID: toRead, Title: "Read"}, {ID: toSetUp, Title: "Set up"},
		{ID: toProve, Title: "Prove the bench"}, {ID: ofFleet, Title: "Fleet"}, {ID: ofUPF, Title: "Reference UPF"}}
}

// inGroup puts commands into a group.
func inGroup(id string, list ...*cobra.Command) []*cobra.Command {
	for _, c := range list {
		c.GroupID = id
	}
	return list
}
