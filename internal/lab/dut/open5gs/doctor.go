package open5gs

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// doctor lists what limits Open5GS's figures.
func doctor(env dut.Env) []dut.Finding {
	v, err := plan(env.Scenario, env.Mode)
	room := fmt.Sprintf("global.max.ue %d: %d sessions", v.MaxUE, sessionsPerUE*v.MaxUE)
	if err != nil {
		room = "not for this scenario: " + err.Error()
	}
	return []dut.Finding{
		{What: "net.core.rmem_default", Found: dut.ReadSetting("net/core/rmem_default") + " bytes",
			Cost: "Open5GS never sets SO_RCVBUF: 212992 bytes hold some 50 packets of 1400 octets, and uplink bursts beyond are lost; " +
				"4194304 lost none. It is a setting of the whole host, so upflab leaves it",
			Source: "docs/duts/open5gs.md: 0.1 to 5 % lost below its capacity, none with 4 MiB"},
		{What: "log level", Set: "error", Cost: "at debug or trace about half of the throughput",
			Source: "https://github.com/open5gs/open5gs/issues/1035"},
		{What: "queue of the TUN or TAP device", Found: "kernel's default 500 packets", Set: fmt.Sprintf("%d packets", queueLength),
			Cost:   "downlink bursts over it are lost; long, it delays instead where the UPF is overloaded",
			Source: "https://github.com/open5gs/open5gs/issues/3933"},
		{What: "room for sessions", Found: "global.max.ue 1024: 4096 sessions", Set: room,
			Cost: "a session beyond is refused, or ends the process", Source: "https://github.com/open5gs/open5gs/issues/3964"},
		{What: "GRO on N3", Set: "on, for the generator's frames to be delivered",
			Cost: "UDP is not merged on a veth without a socket that asks for it: none here"},
		{What: "reverse path filter, forwarding", Set: "rp_filter 0, ip_forward 1, in the UPF's namespace",
			Cost: "uplink packets from the device are dropped otherwise", Source: "Open5GS's guide"},
	}
}

// defects lists what Open5GS is known to do wrong, where it touches the scenario.
func defects(_ string, s *scenario.Scenario) (lines []string) {
	if s.Sessions > sessionsPerUE*defaultMaxUE {
		lines = append(lines, "Open5GS has crashed at its session limit "+
			"(https://github.com/open5gs/open5gs/issues/3964); upflab raises the limit, do so too where you deploy it.")
	}
	return lines
}
