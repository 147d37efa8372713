package scenario

import (
	"strings"
	"testing"
)

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		why    string
		sets   []string
		n3, n6 LinkKind
		err    string // "" for none
	}{
		{"as it comes", nil, LinkVeth, LinkVeth, ""},
		{"both", []string{"link=bridge"}, LinkBridge, LinkBridge, ""},
		{"one", []string{"n3.link=macvlan"}, LinkMacvlan, LinkVeth, ""},
		{"each its own", []string{"link=bridge", "n6.link=veth"}, LinkBridge, LinkVeth, ""},
		{"physical", []string{"n3.link=physical", "n3.device=eth1", "n3.tester_device=eth2"}, LinkPhysical, LinkVeth, ""},
		{"no device", []string{"n3.link=physical", "n3.tester_device=eth2"}, "", "", "n3.device"},
		{"no device of the tester's",
			[]string{"link=physical", "n3.device=eth1", "n3.tester_device=eth2", "n6.device=eth3"}, "", "",
			"n6.tester_device"},
		{"a device without a use", []string{"n6.device=eth1"}, "", "", "set n6.link to physical"},
		{"a device twice", []string{"n3.link=physical", "n3.device=eth1", "n3.tester_device=eth1"}, "", "", "both eth1"},
		{"queues of a bridge", []string{"link=bridge", "queues=2"}, "", "", "only veth and physical links have several"},
		{"queues of a NIC", []string{"n3.link=physical", "n3.device=eth1", "n3.tester_device=eth2", "queues=4",
			"spread=teid_rules"}, LinkPhysical, LinkVeth, ""},
		{"one queue to spread over", []string{"n3.link=physical", "n3.device=eth1", "n3.tester_device=eth2",
			"spread=teid_hash"}, "", "", "queues to 2 or more"},
		{"a veth hashes no TEIDs", []string{"queues=2", "spread=teid_hash"}, "", "", "link to physical"},
		{"no such kind", []string{"link=vhost"}, "", "", "veth, bridge, macvlan, physical"},
	} {
		s, err := Open("load-latency", c.sets, false)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q in it", c.why, err, c.err)
			}
			continue
		}
		if err != nil || s.LinkOf(s.N3.Link) != c.n3 || s.LinkOf(s.N6.Link) != c.n6 {
			t.Errorf("%s: %v, want %s and %s", c.why, err, c.n3, c.n6)
		}
	}
}
