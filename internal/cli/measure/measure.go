// Package measure has the commands that measure UPFs: run, behaviour, interop, ue and bisect.
package measure

import "github.com/spf13/cobra"

// Commands are those of the group.
func Commands() []*cobra.Command {
	return []*cobra.Command{newRun(), newBehaviour(), newInterop(), newUE(), newBisect(), newDossier()}
}

// Hidden are what runs start themselves, in containers, pods and virtual machines.
func Hidden() []*cobra.Command { return []*cobra.Command{newEnter(), newPod(), newGuest(), newVM()} }
