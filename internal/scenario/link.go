package scenario

// LinkKind is how a reference point is made on one machine.
type LinkKind string

// The kinds of link.
const (
	// LinkAuto, for n3.link and n6.link, takes what link says.
	LinkAuto LinkKind = "auto"
	LinkVeth LinkKind = "veth"
	// LinkBridge has a Linux bridge between two veth pairs.
	LinkBridge LinkKind = "bridge"
	// LinkMacvlan gives the UPF a macvlan device in bridge mode.
	LinkMacvlan LinkKind = "macvlan"
	// LinkPhysical moves devices of the host into the namespaces: a port of a NIC or
	// an SR-IOV virtual function.
	LinkPhysical LinkKind = "physical"
)

// LinkOf is the kind of a reference point whose own key says k.
func (s *Scenario) LinkOf(k LinkKind) LinkKind {
	switch {
	case s.FarTester():
		return LinkPhysical // to the other hosts, or TRex
	case k != LinkAuto && k != "":
		return k
	case s.Link == "":
		return LinkVeth
	}
	return s.Link
}

// links holds that devices are named exactly where they are moved.
func (c *checker) links() {
	for _, p := range []struct {
		name                 string
		kind                 LinkKind
		device, testerDevice string
	}{{"n3", c.s.N3.Link, c.s.N3.Device, c.s.N3.TesterDevice}, {"n6", c.s.N6.Link, c.s.N6.Device, c.s.N6.TesterDevice}} {
		physical := c.s.LinkOf(p.kind) == LinkPhysical
		for key, device := range map[string]string{"device": p.device, "tester_device": p.testerDevice} {
			tester := key == "tester_device"
			key = p.name + "." + key
			if tester && c.s.FarTester() {
				if device != "" {
					c.blame("%s is for one host, but hosts or trex says where the ends of the links are; leave it out", []any{key}, key)
				}
				continue
			}
			if physical && device == "" && (!c.s.FarTester() || c.s.External == nil) {
				c.blame("a physical link of %s needs %s: name a network device of this machine", []any{p.name, key}, p.name+".link", "link")
			}
			if !physical && device != "" {
				c.blame("%s is for a physical link, but the link of %s is %s; set %s.link to physical or leave %s out",
					[]any{key, p.name, c.s.LinkOf(p.kind), p.name, key}, key, p.name+".link", "link")
			}
		}
	}
	if c.s.N3.Device != "" {
		c.devices()
	}
	for _, kind := range []LinkKind{c.s.N3.Link, c.s.N6.Link} {
		if kind = c.s.LinkOf(kind); kind != LinkVeth && kind != LinkPhysical && c.s.Queues > 1 {
			c.blame("queues is %d, but only veth and physical links have several, and the link is %s; set queues to 1, or link to veth",
				[]any{c.s.Queues, kind}, "queues", "link")
			return
		}
	}
	c.spread()
}

// spread is of physical N3 ports with several queues.
func (c *checker) spread() {
	if c.s.Spread != SpreadHash && c.s.Spread != SpreadRules {
		return
	}
	yours := c.s.External != nil && c.s.External.N3Interface != ""
	if kind := c.s.LinkOf(c.s.N3.Link); kind != LinkPhysical && !yours || c.s.Queues < 2 {
		c.blame("spread is %s, which is of a physical or external N3 with several queues, and the link is %s with "+
			"queues: %d; set spread to auto, or link to physical and queues to 2 or more",
			[]any{c.s.Spread, kind, c.s.Queues}, "spread", "queues", "link")
	}
}

// devices holds that no device is moved twice.
func (c *checker) devices() {
	seen := map[string]string{}
	for _, d := range [][2]string{{"n3.device", c.s.N3.Device}, {"n3.tester_device", c.s.N3.TesterDevice},
		{"n6.device", c.s.N6.Device}, {"n6.tester_device", c.s.N6.TesterDevice}} {
		if first, twice := seen[d[1]]; twice && d[1] != "" {
			c.blame("%s and %s are both %s; a device has one place", []any{first, d[0], d[1]}, d[0], first)
		}
		seen[d[1]] = d[0]
	}
}
