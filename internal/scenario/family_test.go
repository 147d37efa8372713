package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/text/decltest"
)

func TestFamily(t *testing.T) {
	for _, c := range []struct {
		why  string
		sets string
		want string // what the error says; "": it is right
	}{
		{"IPv6", "ue.family=ipv6", ""},
		{"both", "ue.family=both sessions=1000", ""},
		{"no family", "ue.family=ipx", "ipv4, ipv6, both"},
		{"the pool of the other family", "ue.pool=2001:db8::/48", "IPv4"},
		{"the IPv6 pool of the other family", "ue.family=ipv6 ue.pool6=10.0.0.0/8", "IPv6"},
		{"IPv4 in IPv6", "ue.family=ipv6 ue.first6=::ffff:10.0.0.1", "IPv6"},
		{"a prefix too long", "ue.family=ipv6 ue.pool6=2001:db8:45:1::/72", "use a pool of /32 to /64"},
		{"a prefix too short", "ue.family=ipv6 ue.pool6=2001::/16", "use a pool of /32 to /64"},
		{"outside the pool", "ue.family=ipv6 ue.first6=2001:db8:46::2", "is not in ue.pool6"},
		{"no interface identifier", "ue.family=ipv6 ue.first6=2001:db8:45:1::", "such as 2001:db8:45:1::1"},
		{"too many sessions", "ue.family=ipv6 sessions=65536", "has 65535 prefixes of /64 from ue.first6 2001:db8:45:1::2 on"},
		{"advice", "ue.family=both ue.pool=10.128.0.0/9 ue.first=10.128.0.2 sessions=100000", "such as 2001:db8:44::/46"},
		{"room in a wider pool", "ue.family=ipv6 sessions=1000000 ue.pool6=fd00::/32 ue.first6=fd00:0:0:1::1", ""},
		{"two addresses each", "ue.family=both sessions=600000 ue.pool=10.0.0.0/8 ue.pool6=fd00::/32 ue.first6=fd00:0:0:1::1", "set sessions to 524288 or less"},
		{"UDP flows", "udp.flows=8", ""},
		{"too many UDP flows", "udp.flows=1024 sessions=2000", "each of 2000 sessions has 1,024 streams (ue.family ipv4, 1,024 UDP flows), and 1048576 can send at once; set sessions to 1024 or less"},
		{"UDP flows of both families", "ue.family=both udp.flows=1024 sessions=513", "set sessions to 512 or less"},
		{"no port for a UDP flow", "udp.flows=3 udp.source=65534", "come to port 65536"},
		{"UDP flows of a capture", "udp.flows=2 arrivals=replay pcap=x.pcap", "a capture has its own"},
		{"UDP flows of cases", "udp.flows=2 kind=behaviour", "chooses its own packets"},
		{"UDP flows of TRex", "udp.flows=2 engine=trex", "TRex is given one a session"},
		{"N6 in the pool", "ue.family=ipv6 n6.upf6=2001:db8:45::9 n6.dn6=2001:db8:45::a", "overlap"},
		{"N6 in two subnets", "ue.family=ipv6 n6.dn6=2001:db8:7::2", "not in one /64"},
		{"N6 with one address", "ue.family=ipv6 n6.dn6=2001:db8:6::1", "each end needs its own"},
		{"a link-local N6", "ue.family=ipv6 n6.dn6=fe80::1", "not the address of a host"},
		{"addresses that do nothing", "ue.pool6=2001:db8:46::/48 ue.first6=2001:db8:46::1", "ue.pool6 changes nothing, since ue.family is ipv4"},
		{"behaviour", "ue.family=ipv6 kind=behaviour", "cases of kind behaviour choose the families of their UEs themselves"},
		{"attack", "ue.family=both kind=attack", "cases of kind attack choose"},
		{"incidents", "ue.family=ipv6 kind=resilience", ""},
		{"exact rates", "ue.family=both kind=qos-accuracy", ""},
		{"the control-plane study", "ue.family=ipv6 control.procedures=modify", ""},
		{"sessions of a study without prefixes", "ue.family=both control.procedures=modify control.capacity=100000 ue.pool=10.32.0.0/11 ue.first=10.32.0.2",
			"control.capacity has 100001 UEs at once, and ue.pool6 2001:db8:45::/48 has 65535 prefixes of /64"},
		{"sessions of a study without addresses", "control.tables=100000", "control.tables has 100000 UEs at once, and ue.pool 10.45.0.0/16 has 65533"},
		{"TRex", "ue.family=both engine=trex", "TRex"},
		{"a size too small", "ue.family=ipv6 sizes=frame:120 directions=uplink", "uplink the least is 142"},
		{"an inner size too small", "ue.family=ipv6 sizes=inner:60", "the least is 80 (inner IPv6 and UDP 48"},
		{"the least size", "ue.family=ipv6 sizes=inner:80,frame:142 directions=uplink", ""},
		{"an MTU of IPv4", "ue.family=both payload=1520", "needs an MTU of 1612 on N3 (92 more: inner IPv6"},
	} {
		_, err := Open("load-latency", strings.Fields(c.sets), false)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.why, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
}

// TestSizesOfIPv6: a packet is 20 octets longer around the same payload.
func TestSizesOfIPv6(t *testing.T) {
	s, err := sized(t, "inner:1428,frame:1518,imix", "both", "ue.family=both")
	if err != nil {
		t.Fatal(err)
	}
	sizes := s.PacketSizes()
	if sizes[0].Uplink[0] != 1380 || sizes[1].Uplink[0] != 1408 || sizes[1].Downlink[0] != 1452 {
		t.Errorf("%v", sizes)
	}
	if got := sizes[2].Uplink; got[0] != 32 || got[1] != 504 || got[6] != 1452 {
		t.Errorf("imix is %v", got)
	}
}

// TestUEs: the addresses of a session's UE, of each family, and how many UEs have some.
func TestUEs(t *testing.T) {
	for _, c := range []struct {
		family  string
		ue, ue6 string // of session 511
		room    int
		pool6   string
	}{
		{"ipv4", "10.45.2.1", "invalid IP", 65533, ""},
		{"ipv6", "2001:db8:45:200::2", "invalid IP", 65535, ""},
		{"both", "10.45.2.1", "2001:db8:45:200::2", 65533, ""},
		{"both", "10.45.2.1", "2001:db8:45:200::2", 1, " ue.pool6=2001:db8:45:1::/64"},
	} {
		s, err := Open("load-latency", strings.Fields("ue.family="+c.family+c.pool6), false)
		if err != nil {
			t.Fatal(err)
		}
		ue, ue6 := s.UE.Of(511)
		if ue.String() != c.ue || ue6.String() != c.ue6 || s.UE.Room() != c.room {
			t.Errorf("%s%s: %s, %s, room for %d", c.family, c.pool6, ue, ue6, s.UE.Room())
		}
	}
}

// TestEachFamilyHasAnIPVersion: one that is added is of some.
func TestEachFamilyHasAnIPVersion(t *testing.T) {
	for name, value := range decltest.Constants(t, ".", "Family") {
		if f := Family(value); !f.IPv4() && !f.IPv6() {
			t.Errorf("%s is of no IP version: Family.versions says of which", name)
		}
	}
}

// TestFamiliesCompared: families have sizes and checks of their own, and what has sessions of one family refuses them.
func TestFamiliesCompared(t *testing.T) {
	s, err := Open("load-latency", []string{"families=ipv4,ipv6-over-ipv6", "sizes=frame:162,64"}, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"frame:162 ipv4 72", "64 ipv4 64", "frame:162 ipv6-over-ipv6 32", "64 ipv6-over-ipv6 64"} {
		if got := s.PacketSizes()[i]; fmt.Sprint(got.Name, " ", got.Uplink[0]) != want {
			t.Errorf("size %d is %v, want %s", i, got, want)
		}
	}
	stacks := s.Stacks()
	if stacks[1].UE.Family != FamilyIPv6 || !stacks[1].Transport.IPv6() || stacks[0].UE.Family != FamilyIPv4 || stacks[0].Transport.IPv6() {
		t.Errorf("the stacks are %v, %v", stacks[0].Families, stacks[1].Families)
	}
}

// TestFamiliesThatCannotBeCompared: each refusal says what does not fit.
func TestFamiliesThatCannotBeCompared(t *testing.T) {
	for _, c := range []struct{ sets, want string }{
		{"families=ipv4,ipv6 ue.pool6=2001:db8:100::/40 ue.first6=2001:db8:100:1::1", ""},
		{"families=ipv4,ipv6 n3.gnb6=2001:db8:13::1", "n3.gnb6 changes nothing"},
		{"families=ipv4,ipv4", "ipv4"},
		{"families=ipv4,ipv6 ue.family=both", "leave them or families out"},
		{"families=ipv4,ipv6 transport=ipv6", "leave them or families out"},
		{"families=ipv4,ipv6 search.preset=quick", "a search has sessions of one family"},
		{"families=ipv4,ipv6 kind=behaviour", "kind behaviour does not compare them"},
		{"families=ipv4,ipv6 flows=ping", "applications at UEs (flows)"},
		{"families=ipv4,ipv6 stress.arrivals=poisson", "a stress study"},
		{"families=ipv4,ipv6 soak.share=0.5", "a soak"},
		{"families=ipv4,ipv6 engine=trex", "families is ipv6, but TRex"},
		{"families=ipv4,ipv6-over-ipv6 payload=1520", "needs an MTU of 1632 on N3 (112 more"},
		{"families=ipv4,ipv6 mtu=1200 payload=64", "mtu is 1200, and IPv6 (families) needs 1280"},
		{"families=ipv4,ipv6 sizes=inner:70", "the least is 80"},
	} {
		_, err := Open("load-latency", strings.Fields(c.sets), false)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.sets, err, c.want)
		}
	}
}
