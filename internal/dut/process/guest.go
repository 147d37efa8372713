package process

import (
	"fmt"
	"path/filepath"
)

// Guest is a UPF inside a kernel of its own, User Mode Linux, which runs as a
// process of the UPF's namespace: for kernel modules that the host cannot load. It
// sees the host's files, as root, and has the ports given as vec0, vec1 ...
type Guest struct {
	Kernel    string   // program
	Init      string   // what it starts first, an executable file of the host
	Dir       string   // for its control files
	MemoryMiB int      // 0: 512
	Ports     []string // devices of the UPF's namespace; the kernel there must be silent
	Depth     int      // frames that a port takes at once; 0: 128
	Extra     []string // more of the kernel's arguments
}

// Args is the guest's command line, for Spec.Args.
func (g Guest) Args() []string {
	memory, depth := g.MemoryMiB, g.Depth
	if memory == 0 {
		memory = 512
	}
	if depth == 0 {
		depth = 128
	}
	args := []string{
		g.Kernel, fmt.Sprintf("mem=%dM", memory), "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw", "init=" + g.Init,
		"uml_dir=" + g.Dir, "umid=" + filepath.Base(g.Dir) + "-guest",
		"con=null", "con0=null,fd:1", "panic=-1", // a panic ends it
	}
	for i, port := range g.Ports {
		args = append(args, fmt.Sprintf("vec%d:transport=raw,ifname=%s,depth=%d", i, port, depth))
	}
	return append(args, g.Extra...)
}
