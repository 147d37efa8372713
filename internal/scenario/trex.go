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

// trex checks what TRex is not asked for.
func (c *checker) trex() {
	t := c.s.TRex
	if (t != nil) != (c.s.Engine == EngineTRex) {
		c.blame("engine: trex and the section trex go together: set trex.server to the address of a TRex server, or engine to auto", nil, "engine", "trex.server")
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
		{c.s.Arrivals != Constant, "TRex sends at a steady rate here; set arrivals to constant", []string{"arrivals", "engine"}},
		{c.s.Hosts != nil, "TRex generates alone; leave hosts out", []string{"hosts.generators", "engine"}},
		{len(c.s.Flows) > 0 || c.s.RAN == RANExternal, "TRex sends test packets alone; leave flows and ran: external out", []string{"flows", "ran", "engine"}},
		{c.s.GNBCount > 1, "one port of TRex's is one gNB; set gnbs to 1", []string{"gnbs", "engine"}},
		{len(c.s.QFIs) > 1, "TRex counts no sessions, so classes of traffic cannot be told apart; leave qfis out", []string{"qfis", "engine"}},
		{c.s.Stress.Asked(), "the stress study needs the delays of all packets; set engine to auto", []string{"engine"}},
		{c.s.Control.Asked(), "the control-plane study needs packets that are followed one by one; set engine to auto", []string{"engine"}},
		{c.s.External != nil && (c.s.External.N3Interface != "" || c.s.External.N6Interface != ""),
			"TRex's ports are the tester's; leave external.n3_interface and external.n6_interface out", []string{"external.n3_interface", "external.n6_interface", "engine"}},
	} {
		if refused.is {
			c.blame(refused.why, nil, refused.keys...)
		}
	}
}

// FarTester reports whether the tester's ends of N3 and N6 are not this machine's: they are
// other hosts', or TRex's.
func (s *Scenario) FarTester() bool { return s.Hosts != nil || s.TRex != nil }
