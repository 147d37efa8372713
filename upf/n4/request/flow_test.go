package request

import (
	"net/netip"
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
	"github.com/upflab/upflab/upf/session"
)

func TestParseFlow(t *testing.T) {
	prefix := netip.MustParsePrefix
	for text, want := range map[string]session.Filter{
		"permit out ip from any to assigned":      {},
		"permit out udp from any to assigned\x00": {Protocol: 17, HasProtocol: true},
		"permit out 6 from 192.0.2.1 to any 80": {Protocol: 6, HasProtocol: true,
			Remote: prefix("192.0.2.1/32"), LocalPorts: []session.Ports{{Low: 80, High: 80}}},
		"permit in 6 from 10.0.0.7/8 1-9 to any": {Protocol: 6, HasProtocol: true, Local: prefix("10.0.0.0/8"),
			LocalPorts: []session.Ports{{Low: 1, High: 9}}},
		"permit out 17 from any 53,5000-6000 to any": {Protocol: 17, HasProtocol: true,
			RemotePorts: []session.Ports{{Low: 53, High: 53}, {Low: 5000, High: 6000}}},
		"permit out 58 from 2001:db8::/32 to assigned": {Protocol: 58, HasProtocol: true, Remote: prefix("2001:db8::/32")},
	} {
		got, err := ParseFlow(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v\nwant %+v", text, got, err, want)
		}
	}
}

func TestParseFlowRefuses(t *testing.T) {
	for _, text := range []string{
		"", "permit", "deny out ip from any to any", "permit up ip from any to any", "permit out 256 from any to any",
		"permit out ip from nowhere to any", "permit out ip from any 80", "permit out ip from any 80 to",
		"permit out ip from any 9-1 to any", "permit out ip from any 1-70000 to any", "permit out ip from !10.0.0.1 to any",
		"permit out tcp from any to any established", "permit out ip from any any to any", "permit out ip from fe80::1%a to any",
	} {
		if f, err := ParseFlow(text); err == nil {
			t.Errorf("%q is accepted as %+v", text, f)
		}
	}
}

func FuzzParseFlow(f *testing.F) {
	fuzztest.Brief(f)
	f.Add("permit out 6 from 198.51.100.0/24 80,8000-8100 to assigned 1-2")
	f.Fuzz(func(t *testing.T, text string) { _, _ = ParseFlow(text) })
}
