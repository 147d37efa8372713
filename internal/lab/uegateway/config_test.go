package uegateway

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/site"
)

func TestConfigErrors(t *testing.T) {
	one := UE{Address: netip.MustParseAddr("10.45.0.2"), QFI: 1}
	six, pool6 := UE{Address6: netip.MustParseAddr("2001:db8:45:1::2"), QFI: 1}, netip.MustParsePrefix("2001:db8:45::/48")
	for _, c := range []struct {
		why  string
		mtu  int // of N3
		cfg  Config
		want string
	}{
		{"no room for GTP-U", 600, Config{UEs: []UE{one}}, "set mtu to 620 or more"},
		{"a UE MTU that does not fit", 1500, Config{UEs: []UE{one}, MTU: 1500}, "set mtu to 1544 or more, or the UEs' MTU to 1456"},
		{"no UE", 1544, Config{}, "no UE"},
		{"a UE that is not there", 1544, Config{UEs: []UE{one}, Default: 1}, "UE 2 does not exist"},
		{"twice", 1544, Config{UEs: []UE{one, one}}, "UEs 1 and 2 both have the address 10.45.0.2"},
		{"not in the pool", 1544, Config{UEs: []UE{{Address: netip.MustParseAddr("10.46.0.2"), QFI: 1}}}, "is not in the pool"},
		{"QFI", 1544, Config{UEs: []UE{{Address: one.Address, QFI: 64}}}, "QFI 64 is not in 1..63"},
		{"IPv6", 1544, Config{UEs: []UE{{Address: netip.MustParseAddr("2001:db8::1"), QFI: 1}}}, "no IPv4 address"},
		{"IPv4 as IPv6", 1544, Config{UEs: []UE{{Address6: one.Address, QFI: 1}}}, "no IPv6 address"},
		{"no address", 1544, Config{UEs: []UE{{QFI: 1}}}, "UE 1 has no address"},
		{"no pool of IPv6", 1544, Config{UEs: []UE{{Address6: six.Address6, QFI: 1}}}, "is not in the pool"},
		{"one prefix twice", 1544, Config{Pool6: pool6, UEs: []UE{six, {Address6: six.Address6.Next(), QFI: 1}}},
			"UEs 1 and 2 both have the address 2001:db8:45:1::"},
		{"no room for IPv6", 1300, Config{Pool6: pool6, UEs: []UE{six}}, "IPv6 needs 1280: set mtu to 1324 or more"},
		{"a UE MTU too small for IPv6", 1544, Config{Pool6: pool6, UEs: []UE{six}, MTU: 1000}, "IPv6 needs 1280"},
	} {
		c.cfg.Site, c.cfg.Pool = &portsOnly{spec: site.Spec{MTU: c.mtu}}, netip.MustParsePrefix("10.45.0.0/16")
		_, err := Open(c.cfg)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
}

func TestMTU(t *testing.T) {
	one := []UE{{Address: netip.MustParseAddr("10.45.0.2"), QFI: 1}}
	for _, c := range []struct{ n3, asked, want int }{{1544, 0, 1500}, {1500, 1400, 1400}, {1500, 1500, 1500}} {
		got, err := Config{Site: &portsOnly{spec: site.Spec{MTU: c.n3}}, UEs: one, MTU: c.asked, Oversize: true}.complete()
		if err != nil || got.MTU != c.want {
			t.Errorf("N3 %d, asked %d: %d, %v; want %d", c.n3, c.asked, got.MTU, err, c.want)
		}
	}
}
