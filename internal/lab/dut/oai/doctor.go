package oai

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

const source = "https://gitlab.eurecom.fr/oai/cn5g/oai-cn5g-upf"

// doctor lists what limits OAI-CN5G-UPF's figures.
func doctor(env dut.Env) []dut.Finding {
	list := []dut.Finding{
		{What: "log_level.general", Found: "its sample: debug", Set: "warning",
			Cost:   "it writes a line for each N4 message, at debug for packets too",
			Source: source + " (etc/config.yaml)"},
		{What: "enable_qos", Set: "no", Cost: "qdiscs of tc, or meters in user space, in each packet's way",
			Source: source + " (docs/SIMPLE_SWITCH.md)"},
	}
	if env.Mode == xdp {
		return append(list, dut.Finding{What: "max_pdu_session", Found: fmt.Sprintf("its default: %d", defaultSessions),
			Set:  fmt.Sprintf("%d, in an ebpf_maps.conf that you put to its etc", max(env.Scenario.Sessions, defaultSessions)),
			Cost: "a session beyond has no place in the maps", Source: source + " (etc/ebpf_maps.conf)"})
	}
	return append(list,
		dut.Finding{What: "n3_rx_threads, dl_rx_queues", Set: "left out: 1 each",
			Cost:   "a thread for each direction; one gNB's uplink is one thread's in any case",
			Source: source + " (docs/SIMPLE_SWITCH.md)"},
		dut.Finding{What: "CPUs", Found: fmt.Sprintf("%d for the UPF", max(len(env.CPUs), 1)),
			Cost:   "its packet threads have real-time priority: without a separate CPU, N4 stops answering under load",
			Source: source + " (docs/SIMPLE_SWITCH.md)"})
}

// defects lists what OAI-CN5G-UPF is known to do wrong, where it touches the scenario.
func defects(mode string, s *scenario.Scenario) []string {
	return []string{"OAI-CN5G-UPF discards Association Release Requests (TS 29.244 clause 6.2.8): upflab does not wait for an answer."}
}
