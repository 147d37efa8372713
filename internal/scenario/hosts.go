package scenario

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Hosts are those of one measurement over several. The host that upflab runs on has the
// UPF, with n3.device and n6.device, or reaches the N4 of one that runs elsewhere (external);
// the others are testbeds of a hub, whose agents take part.
type Hosts struct {
	// Testbeds that send uplink packets and receive downlink ones, TESTBED:DEVICE or
	// TESTBED:DEVICE@CPUS. Each is a gNB: the i-th has the address n3.gnb + i. Sessions are dealt
	// to the CPUs of all in turn.
	Generators []string `yaml:"generators" plural:"testbeds" kind:"testbed" items:"1..64" unique:"true" required:"true" example:"rack1:eth2,rack2:eth2@0-3"`
	// The testbed that is the data network, TESTBED:DEVICE or TESTBED:DEVICE@CPUS.
	Sink string `yaml:"sink" kind:"testbed" required:"true" example:"rack4:eth2"`
}

// HostPort is a host that takes part, and its port.
type HostPort struct {
	Testbed, Device string
	CPUs            []int // that send; nil: the host chooses one
}

// parseHostPort reads TESTBED:DEVICE[@CPUS].
func parseHostPort(text string) (p HostPort, err error) {
	text, cpus, _ := strings.Cut(text, "@")
	p.Testbed, p.Device, _ = strings.Cut(text, ":")
	p.CPUs, err = parseCPUs(cpus)
	return p, err
}

// Ports are those of the generators, and of the sink.
func (h *Hosts) Ports() (generators []HostPort, sink HostPort) {
	for _, text := range h.Generators {
		p, _ := parseHostPort(text) // checked when the scenario was read
		generators = append(generators, p)
	}
	sink, _ = parseHostPort(h.Sink)
	return generators, sink
}

// GNBs are the addresses of the gNBs: as many as gnbs says, without the UPF's own, or one of
// each generating host.
func (s *Scenario) GNBs() (list []netip.Addr) {
	n := s.GNBCount
	if s.Hosts != nil {
		n = len(s.Hosts.Generators)
	}
	first, upf := s.N3Ends()
	for next := first; len(list) < max(n, 1); next = next.Next() {
		if next != upf || s.Hosts != nil {
			list = append(list, next)
		}
	}
	return list
}

// checkSeveralGNBs checks that there can be as many gNBs as the key gnbs asks for.
func checkSeveralGNBs(s *Scenario, r *report) {
	n := s.GNBCount
	if n < 2 {
		return
	}
	switch {
	case s.Hosts != nil:
		r.blame("each generating host is one gNB; set gnbs to 1, or leave hosts out", nil, "gnbs", "hosts.generators")
		return
	case len(s.Flows) > 0 || s.RAN == RANExternal:
		r.blame("several gNBs send test packets alone; set gnbs to 1, or leave flows and ran: external out", nil, "gnbs", "flows", "ran")
	case n > s.Sessions:
		r.blame("gnbs is %d, and each needs a session; set sessions to %d or more", []any{n, n}, "gnbs", "sessions")
	}
	checkGNBs(s, r, n, "gnbs")
}

// checkGNBs checks that the addresses of so many gNBs, which a key asks for, are in their subnet.
func checkGNBs(s *Scenario, r *report, n int, key string) {
	many := *s
	many.GNBCount = n
	subnet := netip.PrefixFrom(many.N3.GNB, many.N3.Prefix).Masked()
	if many.Transport.IPv6() {
		subnet = netip.PrefixFrom(many.N3.GNB6, gnbBits6).Masked()
		if last := many.GNBs()[n-1]; !subnet.Contains(last) {
			r.blame("the last of %d gNBs is %s, which is not in %s; change n3.gnb6", []any{n, last, subnet}, key, "n3.gnb6")
		}
		return
	}
	if last := many.GNBs()[n-1]; !subnet.Contains(last) {
		r.blame("the last of %d gNBs is %s, which is not in %s; change n3.gnb, or n3.prefix", []any{n, last, subnet}, key, "n3.gnb", "n3.prefix")
	}
}

// checkHosts checks a measurement over several.
func checkHosts(s *Scenario, r *report) {
	h := s.Hosts
	if h == nil {
		return
	}
	checkHostPorts(s, r)
	switch {
	case len(s.Flows) > 0 || s.RAN == RANExternal:
		r.blame("a measurement over several hosts is of test packets: flows and ran: external run on one", nil,
			"hosts.generators", "flows", "ran")
	case s.Engine == EngineAFPacket:
		r.blame("the hosts of a measurement send by xdp or af_xdp, and receive by XDP; set engine to one of them",
			nil, "engine", "hosts.generators")
	case s.External != nil && (s.External.N3Interface != "" || s.External.N6Interface != ""):
		r.blame("the interfaces of a measurement over several hosts are those of generators and sink: leave "+
			"external.n3_interface and external.n6_interface out", nil, "external.n3_interface", "hosts.generators")
	}
	subnet := netip.PrefixFrom(s.N3.GNB, s.N3.Prefix).Masked()
	for i, gnb := range s.GNBs() {
		if gnb == s.N3.UPF || !subnet.Contains(gnb) {
			r.blame("host %d of hosts.generators is the gNB %s, which is not free in %s; change n3.gnb",
				[]any{i + 1, gnb, subnet}, "n3.gnb", "hosts.generators")
			return
		}
	}
}

func checkHostPorts(s *Scenario, r *report) {
	seen := map[string]bool{}
	for i, text := range append(append([]string(nil), s.Hosts.Generators...), s.Hosts.Sink) {
		key := "hosts.generators"
		if i == len(s.Hosts.Generators) {
			key = "hosts.sink"
		}
		p, err := parseHostPort(text)
		if err != nil {
			r.blame("%s: %s", []any{key, fmt.Sprint(err)}, key)
		}
		if seen[p.Testbed] {
			r.blame("testbed %s has two roles; each host has one", []any{p.Testbed}, key)
		}
		seen[p.Testbed] = true
	}
}

// CPUs are the CPUs of a role, as a scenario writes them: "2", "0,1", "4-7,12", or "-1",
// which lets upflab choose.
type CPUs string

// AnyCPU lets upflab choose.
const AnyCPU CPUs = "-1"

// List are the CPUs in the order of the text; nil: upflab chooses.
func (c CPUs) List() []int {
	list, _ := parseCPUs(string(c)) // checked when the scenario was read
	return list
}

// lastCPU is the highest number of a CPU.
const lastCPU = 4095

func parseCPUs(text string) (list []int, err error) {
	if text = strings.TrimSpace(text); text == "" || text == string(AnyCPU) {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		low, high, span := strings.Cut(strings.TrimSpace(part), "-")
		if !span {
			high = low
		}
		from, errFrom := cpuNumber(low)
		to, errTo := cpuNumber(high)
		if errFrom != nil || errTo != nil || from > to {
			return nil, fmt.Errorf("%q names no CPUs; write numbers from 0 to %d, as 2, 0,1 or 4-7, or -1", text, lastCPU)
		}
		for cpu := from; cpu <= to; cpu++ {
			if slices.Contains(list, cpu) {
				return nil, fmt.Errorf("%q names CPU %d twice", text, cpu)
			}
			list = append(list, cpu)
		}
	}
	return list, nil
}

func cpuNumber(text string) (int, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 16)
	if err == nil && n > lastCPU {
		err = strconv.ErrRange
	}
	return int(n), err
}
