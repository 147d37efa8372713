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

// checkLinks holds that devices are named exactly where they are moved.
func checkLinks(s *Scenario, r *report) {
	for _, p := range []struct {
		name                 string
		kind                 LinkKind
		device, testerDevice string
	}{{"n3", s.N3.Link, s.N3.Device, s.N3.TesterDevice}, {"n6", s.N6.Link, s.N6.Device, s.N6.TesterDevice}} {
		physical := s.LinkOf(p.kind) == LinkPhysical
		for key, device := range map[string]string{"device": p.device, "tester_device": p.testerDevice} {
			tester := key == "tester_device"
			key = p.name + "." + key
			if tester && s.FarTester() {
				if device != "" {
					r.blame("%s is for one host, but hosts or trex says where the ends of the links are; leave it out", []any{key}, key)
				}
				continue
			}
			if physical && device == "" && (!s.FarTester() || s.External == nil) {
				r.blame("a physical link of %s needs %s: name a network device of this machine", []any{p.name, key}, p.name+".link", "link")
			}
			if !physical && device != "" {
				r.blame("%s is for a physical link, but the link of %s is %s; set %s.link to physical or leave %s out",
					[]any{key, p.name, s.LinkOf(p.kind), p.name, key}, key, p.name+".link", "link")
			}
		}
	}
	if s.N3.Device != "" {
		checkDevices(s, r)
	}
	for _, kind := range []LinkKind{s.N3.Link, s.N6.Link} {
		if kind = s.LinkOf(kind); kind != LinkVeth && kind != LinkPhysical && s.Queues > 1 {
			r.blame("queues is %d, but only veth and physical links have several, and the link is %s; set queues to 1, or link to veth",
				[]any{s.Queues, kind}, "queues", "link")
			return
		}
	}
	checkSpread(s, r)
}

// checkSpread is of physical N3 ports with several queues.
func checkSpread(s *Scenario, r *report) {
	if s.Spread != SpreadHash && s.Spread != SpreadRules {
		return
	}
	yours := s.External != nil && s.External.N3Interface != ""
	if kind := s.LinkOf(s.N3.Link); kind != LinkPhysical && !yours || s.Queues < 2 {
		r.blame("spread is %s, which is of a physical or external N3 with several queues, and the link is %s with "+
			"queues: %d; set spread to auto, or link to physical and queues to 2 or more",
			[]any{s.Spread, kind, s.Queues}, "spread", "queues", "link")
	}
}

// checkDevices holds that no device is moved twice.
func checkDevices(s *Scenario, r *report) {
	seen := map[string]string{}
	for _, d := range [][2]string{{"n3.device", s.N3.Device}, {"n3.tester_device", s.N3.TesterDevice},
		{"n6.device", s.N6.Device}, {"n6.tester_device", s.N6.TesterDevice}} {
		if first, twice := seen[d[1]]; twice && d[1] != "" {
			r.blame("%s and %s are both %s; a device has one place", []any{first, d[0], d[1]}, d[0], first)
		}
		seen[d[1]] = d[0]
	}
}
