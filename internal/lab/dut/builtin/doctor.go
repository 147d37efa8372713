package builtin

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
)

// doctor lists what limits the reference UPF's figures.
func doctor(env dut.Env) []dut.Finding {
	return append(ofDatapath(env), []dut.Finding{
		{What: "max_sessions", Found: "its default: 65536", Set: fmt.Sprint(max(env.Scenario.Sessions, 1024)),
			Cost: "a session beyond is refused with cause 75, No resources available", Source: "docs/upf.md"},
		{What: "log_level", Found: "its default: info", Set: "warn", Cost: "it logs N4 alone, no packets", Source: "docs/upf.md"},
	}...)
}

// ofDatapath lists what matters to the datapath of a mode.
func ofDatapath(env dut.Env) []dut.Finding {
	path := datapaths[env.Mode]
	if path.kind != "xdp" {
		return []dut.Finding{{What: "datapath.workers", Found: "its default: one for each CPU", Set: fmt.Sprint(len(env.CPUs)),
			Cost: "one thread carries what one CPU can", Source: "docs/upf.md"}}
	}
	list := []dut.Finding{
		{What: "XDP mode", Set: path.xdp,
			Cost: "generic XDP makes a socket buffer of each packet first: a fraction of the native rate. On a " +
				"link without native XDP (macvlan) upflab takes it and says so",
			Source: "docs/inside.md"},
		{What: "net.core.bpf_jit_enable", Found: dut.ReadSetting("net/core/bpf_jit_enable"),
			Cost:   "0 interprets its programs: several times as slow",
			Source: "the kernel's Documentation/admin-guide/sysctl/net.rst"},
	}
	if path.xdp == "generic" {
		list = append(list, dut.MergedSegments())
	}
	return list
}
