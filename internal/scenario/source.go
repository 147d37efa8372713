package scenario

// TRex is a TRex server that somebody else runs, for engine: trex. Two of its ports are cabled
// to the UPF's N3 and N6.
type TRex struct {
	// The server's host, as HOST or HOST:PORT; its port for requests is 4501 where none is named.
	Server string `yaml:"server" kind:"endpoint" required:"true" example:"10.0.0.1:4501"`
	// TRex's port that is cabled to the UPF's N3: the gNB.
	N3Port int `yaml:"n3_port" range:"0..255" default:"0" example:"2"`
	// TRex's port that is cabled to the UPF's N6: the data network.
	N6Port int `yaml:"n6_port" range:"0..255" default:"1" example:"3"`
	// Take the ports also from somebody who has them.
	Force bool `yaml:"force" default:"false" example:"true"`
	// Packets of a trial whose delay is taken, which TRex sends in streams of their own. A load
	// of no more than that is counted packet by packet.
	LatencyPPS int `yaml:"latency_pps" range:"1..10000000" unit:"packets/s" default:"1000" example:"10000"`
}

// checkTRex checks what TRex is not asked for.
func checkTRex(s *Scenario, r *report) {
	t := s.TRex
	if (t != nil) != (s.Engine == EngineTRex) {
		r.blame("engine: trex and the section trex go together: set trex.server to the address of a TRex server, "+
			"or engine to auto", nil, "engine", "trex.server")
		return
	}
	if t == nil {
		return
	}
	for _, refused := range []struct {
		is   bool
		why  string
		keys []string
	}{
		{t.N3Port == t.N6Port, "trex.n3_port and trex.n6_port are the same; TRex needs two ports", []string{"trex.n6_port", "trex.n3_port"}},
		{s.Arrivals != Constant, "TRex sends at a steady rate here; set arrivals to constant", []string{"arrivals", "engine"}},
		{s.Hosts != nil, "TRex generates alone; leave hosts out", []string{"hosts.generators", "engine"}},
		{len(s.Flows) > 0 || s.RAN == RANExternal,
			"TRex sends test packets alone; leave flows and ran: external out", []string{"flows", "ran", "engine"}},
		{s.GNBCount > 1, "one port of TRex's is one gNB; set gnbs to 1", []string{"gnbs", "engine"}},
		{len(s.QFIs) > 1, "TRex counts no sessions, so classes of traffic cannot be told apart; leave qfis out", []string{"qfis", "engine"}},
		{s.Stress.Asked(), "the stress study needs the delays of all packets; set engine to auto", []string{"engine"}},
		{s.Control.Asked(), "the control-plane study needs packets that are followed one by one; set engine to auto", []string{"engine"}},
		{s.External != nil && (s.External.N3Interface != "" || s.External.N6Interface != ""),
			"TRex's ports are the tester's; leave external.n3_interface and external.n6_interface out",
			[]string{"external.n3_interface", "external.n6_interface", "engine"}},
	} {
		if refused.is {
			r.blame(refused.why, nil, refused.keys...)
		}
	}
}

// FarTester reports whether the tester's ends of N3 and N6 are not this machine's: they are
// other hosts', or TRex's.
func (s *Scenario) FarTester() bool { return s.Hosts != nil || s.TRex != nil }

// RAN is where the UEs of flows are.
type RAN string

// The values of Scenario.RAN.
const (
	RANGateway  RAN = "gateway"
	RANExternal RAN = "external"
)

// ExternalUE describes UEs behind a RAN that is not upflab's: UERANSIM, srsRAN, OAI, or a
// modem. Its core and the UPF run; n6.dn is an address of this machine, where the servers are.
type ExternalUE struct {
	// Interfaces of the UEs, the first UE's first; each has its UE's address.
	Interfaces []string `yaml:"interfaces" kind:"interface" items:"1..64" unique:"true" required:"true" example:"uesimtun0"`
	// Network namespace of the interfaces, as `ip netns` names it; empty: that of upflab, or of
	// the login.
	Namespace string `yaml:"namespace,omitempty" kind:"process" example:"ue1"`
	// Host of the interfaces, as ssh takes it, without a password; empty: this one. UPFLAB_SSH is
	// the command in place of ssh.
	SSH string `yaml:"ssh,omitempty" kind:"host" example:"root@ran1"`
	// Interface of another UE of the same RAN, whose session leads through a UPF that is not the
	// limit, such as `upflab upf`: what the RAN carries (DUT decap).
	BenchInterface string `yaml:"bench_interface,omitempty" kind:"interface" example:"uesimtun1"`
	// Interface that reaches the data network without RAN and UPF: the baseline (DUT n6).
	DirectInterface string `yaml:"direct_interface,omitempty" kind:"interface" example:"eth0"`
	// Programs of the RAN on this machine, by name: one of their threads that is full names the
	// RAN as the limit.
	Processes []string `yaml:"processes" kind:"process" items:"..8" unique:"true" default:"[]" example:"nr-gnb,nr-ue"`
	// The UPF's program on this machine, by name, for its CPU; empty: unknown.
	UPFProcess string `yaml:"upf_process,omitempty" kind:"process" example:"open5gs-upfd"`
	// Network namespace of the data network, which has the address n6.dn; empty: that of upflab.
	DNNamespace string `yaml:"dn_namespace,omitempty" kind:"process" example:"dn"`
}

// checkExternalUE checks the UEs of a RAN that is not upflab's.
func checkExternalUE(s *Scenario, r *report) {
	x := s.ExternalUE
	switch {
	case (x != nil) != (s.RAN == RANExternal):
		r.blame("ran: external and the section external_ue go together", nil, "ran", "external_ue")
		return
	case x == nil:
		return
	case len(s.Flows) == 0:
		r.blame("ran: external is for flows, and there are none: a UE's interface carries applications", nil, "ran")
	case x.SSH != "" && len(x.Processes) > 0:
		r.blame("external_ue.processes are watched on this machine alone, and the RAN is on %s", []any{x.SSH},
			"external_ue.processes", "external_ue.ssh")
	}
	for _, f := range s.Flows {
		if n := f.Sessions(); n > len(x.Interfaces) {
			r.blame("a flow %s needs %d UEs, and external_ue.interfaces has %d", []any{f.Kind, n, len(x.Interfaces)},
				"external_ue.interfaces", "flows")
		}
		if f.Handover {
			r.blame("a handover needs the gateway: with ran: external the core switches paths", nil, "flows", "ran")
		}
	}
}
