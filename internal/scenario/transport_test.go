package scenario

import (
	"strings"
	"testing"
)

func TestTransport(t *testing.T) {
	for _, c := range []struct {
		why  string
		sets string
		want string // what the error says; "": it is right
	}{
		{"IPv6", "transport=ipv6", ""},
		{"IPv6 for UEs of IPv6", "transport=ipv6 ue.family=ipv6", ""},
		{"no transport", "transport=ipx", "ipv4, ipv6"},
		{"an address of the other family", "transport=ipv6 n3.upf6=10.0.0.1", "IPv6"},
		{"an address that does nothing", "n3.upf6=2001:db8:3::9", "n3.upf6 changes nothing, since transport is ipv4"},
		{"N3 in two subnets", "transport=ipv6 n3.gnb6=2001:db8:9::1", "not in one /64"},
		{"N4 with one address", "transport=ipv6 n4.smf6=2001:db8:4::2", "each end needs its own"},
		{"a link-local N3", "transport=ipv6 n3.gnb6=fe80::1", "not the address of a host"},
		{"N3 is N4", "transport=ipv6 n4.smf6=2001:db8:3::5 n4.upf6=2001:db8:3::6", "n3 (2001:db8:3::/64) and n4 (2001:db8:3::/64) overlap"},
		{"N3 is N6", "transport=ipv6 ue.family=both n3.gnb6=2001:db8:6::5 n3.upf6=2001:db8:6::6", "n3 (2001:db8:6::/64) and n6"},
		{"N3 in the pool", "transport=ipv6 ue.family=ipv6 n3.gnb6=2001:db8:45::5 n3.upf6=2001:db8:45::6", "and ue.pool6 (2001:db8:45::/48) overlap"},
		{"N3 in the pool of no UE", "transport=ipv6 n3.gnb6=2001:db8:45::5 n3.upf6=2001:db8:45::6", ""},
		{"several gNBs", "transport=ipv6 sessions=64 gnbs=64", ""},
		{"gNBs beyond 32 bits", "transport=ipv6 sessions=3 gnbs=3 n3.gnb6=2001:db8:3::ffff:ffff", "is not in 2001:db8:3::/96"},
		{"cases", "transport=ipv6 kind=behaviour", "kind behaviour speaks IPv4"},
		{"exact rates", "transport=ipv6 kind=qos-accuracy", ""},
		{"incidents", "transport=ipv6 kind=resilience", ""},
		{"the control-plane study", "transport=ipv6 control.procedures=modify", ""},
		{"TRex", "transport=ipv6 engine=trex", "TRex"},
		{"a size too small", "transport=ipv6 sizes=frame:140 directions=uplink", "uplink the least is 142 (Ethernet 14, outer IPv6 and UDP 48, GTP-U 16, inner IPv4"},
		{"an MTU of IPv4", "transport=ipv6 payload=1520", "needs an MTU of 1612 on N3 (92 more: inner IPv4 and outer IPv6"},
		{"an MTU of IPv6 inside and outside", "transport=ipv6 ue.family=ipv6 payload=1520", "needs an MTU of 1632 on N3 (112 more: inner IPv6 and outer IPv6"},
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
