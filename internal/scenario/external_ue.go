package scenario

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

// externalUE checks the UEs of a RAN that is not upflab's.
func (c *checker) externalUE() {
	x := c.s.ExternalUE
	switch {
	case (x != nil) != (c.s.RAN == RANExternal):
		c.blame("ran: external and the section external_ue go together", nil, "ran", "external_ue")
		return
	case x == nil:
		return
	case len(c.s.Flows) == 0:
		c.blame("ran: external is for flows, and there are none: a UE's interface carries applications", nil, "ran")
	case x.SSH != "" && len(x.Processes) > 0:
		c.blame("external_ue.processes are watched on this machine alone, and the RAN is on %s", []any{x.SSH}, "external_ue.processes", "external_ue.ssh")
	}
	for _, f := range c.s.Flows {
		if n := f.Sessions(); n > len(x.Interfaces) {
			c.blame("a flow %s needs %d UEs, and external_ue.interfaces has %d", []any{f.Kind, n, len(x.Interfaces)}, "external_ue.interfaces", "flows")
		}
		if f.Handover {
			c.blame("a handover needs the gateway: with ran: external the core switches paths", nil, "flows", "ran")
		}
	}
}
