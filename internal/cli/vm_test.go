package cli

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/exit"
)

func TestVMRefusesWhatNoGuestHas(t *testing.T) {
	for want, args := range map[string][]string{
		"vm.nic":  {"vm", "--nic", "ne2000", "--", "true"},
		"vm.cpus": {"vm", "--cpus", "0", "--", "true"},
	} {
		var out strings.Builder
		if status := Main(args, &out, &out); status != exit.Usage || !strings.Contains(out.String(), want) {
			t.Errorf("%q: %d, %s", args, status, out.String())
		}
	}
}

func TestWorkingDirectoryInVM(t *testing.T) {
	t.Chdir("/dev/shm")
	var out strings.Builder
	want := "the working directory /dev/shm is not seen in a virtual machine, where /dev is another folder"
	if status := Main([]string{"run", "quick", "--site", "vm"}, &out, &out); status != exit.Usage || !strings.Contains(out.String(), want) {
		t.Errorf("%d, %s", status, out.String())
	}
}
