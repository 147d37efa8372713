package doctor

import (
	"context"
	"os/exec"
	"strings"

	"github.com/upflab/upflab/internal/machine/vm"
	"github.com/upflab/upflab/internal/scenario"
)

// What virtual machines need is no need of other runs: what is missing is only good to know.

func emulator(ctx context.Context, _ *exam) Finding {
	q, err := vm.FindQEMU(ctx)
	if err != nil {
		return Finding{Name: "QEMU", State: Info, Detail: err.Error()}
	}
	var nics []string
	for _, nic := range q.NICs() {
		nics = append(nics, string(nic))
	}
	return Finding{Name: "QEMU", State: OK, Detail: q.Version + ", vm.nic: " + strings.Join(nics, ", ")}
}

func acceleration(ctx context.Context, _ *exam) Finding {
	f := Finding{Name: "KVM", State: OK, Detail: "runs a guest"}
	q, err := vm.FindQEMU(ctx)
	if err != nil {
		f.State, f.Detail = Info, "not tried without QEMU"
		return f
	}
	if a, why := q.Accelerator(ctx); a != vm.KVM {
		f.State, f.Detail = Info, why+": guests are emulated, and no speed in them means anything"
	}
	return f
}

func guestKernel(context.Context, *exam) Finding {
	f := Finding{Name: "kernels", State: OK}
	var there []string
	host, err := vm.FindKernel(scenario.HostKernel, vm.Cache())
	if err == nil {
		there = append(there, scenario.HostKernel+" ("+host.Release+")")
	}
	if there = append(there, vm.CachedKernels(vm.Cache())...); len(there) == 0 {
		f.State, f.Detail = Info, err.Error()
		return f
	}
	f.Detail = "vm.kernel: " + strings.Join(there, ", ")
	if err != nil {
		why, _, _ := strings.Cut(err.Error(), "; ") // what vm.kernel may be stands before it
		f.State, f.Detail = Info, f.Detail+"; not host, the default: "+why
	}
	if _, err := exec.LookPath("modprobe"); err != nil {
		f.State, f.Detail = Info, f.Detail+"; but the program modprobe, which loads modules in a guest, is missing (Debian, Ubuntu: apt-get install kmod)"
	}
	return f
}
