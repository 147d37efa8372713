package doctor

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/upflab/upflab/internal/machine/host"
)

// The oldest supported kernel.
const needMajor, needMinor = 6, 1

func version(_ context.Context, e *exam) Finding {
	f := Finding{Name: "Linux", State: OK, Detail: e.host.Kernel}
	if e.host.OS != "" {
		f.Detail += ", " + e.host.OS
	}
	recent, err := host.AtLeast(e.host.Kernel, needMajor, needMinor)
	switch {
	case err != nil:
		f.State, f.Detail = Untried, err.Error()
	case recent:
		return f
	default:
		f.State = Missing
	}
	f.Fix = fmt.Sprintf("boot Linux %d.%d or later (Debian 12, Ubuntu 24.04 and newer have one)", needMajor, needMinor)
	return f
}

func jit(_ context.Context, e *exam) Finding {
	f := Finding{Name: "BPF compiler", State: OK, Detail: "on"}
	switch e.host.BPFJIT {
	case "1":
		return f
	case "0":
		f.State, f.Detail = Warn, "off: BPF programs are interpreted, several times slower"
	case "2":
		f.State, f.Detail = Warn, "on, writing every program to the log"
	default:
		f.State, f.Detail = Info, "its state cannot be read"
		return f
	}
	f.Fix = "sudo sysctl -w net.core.bpf_jit_enable=1"
	return f
}

// btf is for DUTs: upflab's own programs do without.
func btf(_ context.Context, e *exam) Finding {
	f := Finding{Name: "BTF", State: OK, Detail: "/sys/kernel/btf/vmlinux"}
	if _, err := fs.Stat(e.root, "sys/kernel/btf/vmlinux"); err != nil {
		f.State, f.Detail = Warn, "none: a DUT whose BPF programs adapt to the kernel does not start"
		f.Fix = "boot a kernel with CONFIG_DEBUG_INFO_BTF=y, as the distributions' are"
	}
	return f
}
