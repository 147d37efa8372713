package builtin

import (
	"fmt"

	"github.com/upflab/upflab/internal/dut"
)

var _ dut.Examiner = Driver{}

// Doctor is dut.Examiner's.
func (Driver) Doctor(env dut.Env) []dut.Finding {
	return []dut.Finding{
		{What: "XDP mode", Set: modes[env.Mode],
			Cost:   "generic XDP makes a socket buffer of each packet first: a fraction of the native rate. On a link without native XDP (macvlan) upflab takes it and says so",
			Source: "docs/architecture.md"},
		{What: "max_sessions", Found: "its default: 1024", Set: fmt.Sprint(max(env.Scenario.Sessions, 1024)),
			Cost: "a session beyond is refused with cause 75, No resources available", Source: "docs/upf.md"},
		{What: "log_level", Found: "its default: info", Set: "warn", Cost: "it logs N4 alone, no packets", Source: "docs/upf.md"},
		{What: "net.core.bpf_jit_enable", Found: dut.ReadSetting("net/core/bpf_jit_enable"), Cost: "0 interprets its programs: several times as slow", Source: "the kernel's Documentation/admin-guide/sysctl/net.rst"},
	}
}
