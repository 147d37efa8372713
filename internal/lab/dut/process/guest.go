package process

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/site"
)

// Guest is a UPF inside a kernel of its own, User Mode Linux, which runs as a
// process of the UPF's namespace: for kernel modules that the host cannot load. It
// sees the host's files, as root, and has the ports given as vec0, vec1 ...
//
// It has to be in a PID namespace (GroupSpec.PIDNamespace), for the processes
// inside it are processes of the host that may outlive it, and not the first there,
// for after a panic it ends itself by a signal that the first would not get.
type Guest struct {
	Kernel    string   // program
	Init      string   // what it starts first, an executable file of the host
	MemoryMiB int      // 0: 512
	Ports     []string // devices of the UPF's namespace; the kernel there must be silent
	MTU       int      // of the ports, octets; 0: 1500
	Depth     int      // frames that a port takes at once; 0: 128
	Extra     []string // more of the kernel's arguments
}

const (
	// guestDir has the guest's memory and its console: a file system of its own,
	// which goes with it.
	guestDir  = "/dev/shm"
	guestName = "guest"
)

// Spec is how to start it, but for Log, Dir and CPUs.
func (g Guest) Spec(t site.Site) Spec {
	return Spec{Site: t, Args: g.Args(), Env: []string{"TMPDIR=" + guestDir}, Mounts: []Mount{{Type: "tmpfs", Target: guestDir}}}
}

// Args is the guest's command line.
func (g Guest) Args() []string {
	args := []string{
		g.Kernel, fmt.Sprintf("mem=%dM", or(g.MemoryMiB, 512)), "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw", "init=" + g.Init,
		"uml_dir=" + guestDir, "umid=" + guestName, "con=null", "con0=null,fd:1", "panic=-1",
	}
	for i, port := range g.Ports {
		args = append(args, fmt.Sprintf("vec%d:transport=raw,ifname=%s,depth=%d,mtu=%d", i, port, or(g.Depth, 128), or(g.MTU, 1500)))
	}
	return append(args, g.Extra...)
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
