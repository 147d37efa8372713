package free5gc

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// doctor lists what limits free5GC's figures.
func doctor(env dut.Env) []dut.Finding {
	loaded := "not loaded"
	if moduleLoaded() {
		loaded = "loaded"
	}
	list := []dut.Finding{
		{What: "kernel module gtp5g", Found: loaded, Cost: "without it only the guest works", Source: "https://github.com/free5gc/gtp5g"},
		{What: "MTU of upfgtp", Found: "gtp5g's default: 1464",
			Set:  fmt.Sprintf("%d: N3's less %d octets of headers", env.Scenario.MTU-overhead, overhead),
			Cost: "a longer downlink packet is fragmented, or refused where that is forbidden", Source: "gtp5g, src/gtpu/link.c"},
		{What: "/proc/gtp5g/qos", Set: "left: 0", Cost: "MBR is not enforced; with 1 each packet is metered", Source: "gtp5g, src/pfcp/pdr.c"},
		{What: "log level", Set: "warn", Cost: "go-upf logs N4 alone, gtp5g above level 1 each packet", Source: "gtp5g, README"},
		{What: "usage reporting", Set: "no URR",
			Cost:   "a URR whose trigger is 0 counts nothing and logs a kernel error for each packet",
			Source: "tried, 1.2.12 with 0.10.2"},
	}
	if env.Mode == guestMode {
		list = append(list,
			dut.Finding{What: "ports of the guest", Set: "packet sockets, which do not see what the guest sends (PACKET_IGNORE_OUTGOING)",
				Cost: "each frame sent would come back and be dropped inside", Source: "docs/duts/free5gc.md"},
			dut.Finding{What: "net.core.rmem_default", Found: dut.ReadSetting("net/core/rmem_default") + " bytes",
				Cost: "the guest's receive rings: longer, a burst waits in them and is not lost", Source: "docs/duts/free5gc.md"})
	}
	return list
}

// defects lists what free5GC is known to do wrong, where it touches the scenario.
func defects(_ string, s *scenario.Scenario) []string {
	return []string{
		"free5GC's UPF keeps what it made of a session that it then refused: later sessions fail with \"file exists\" until it is restarted.",
	}
}
