package smf

import (
	"net"
	"net/netip"
	"os"
	"testing"
)

// TestAgainstARealUPF speaks to a UPF that runs already:
//
//	UPFLAB_N4_UPF=10.10.1.2:8805 UPFLAB_N4_SMF=10.10.1.1:8805 UPFLAB_N4_DIALECT=eupf go test -run RealUPF ./internal/n4
func TestAgainstARealUPF(t *testing.T) {
	upf, smf := os.Getenv("UPFLAB_N4_UPF"), os.Getenv("UPFLAB_N4_SMF")
	if upf == "" || smf == "" {
		t.Skip("set UPFLAB_N4_UPF, UPFLAB_N4_SMF and UPFLAB_N4_DIALECT to run this against a UPF of yours")
	}
	d, err := Lookup(os.Getenv("UPFLAB_N4_DIALECT"))
	if err != nil {
		t.Fatal(err)
	}
	local, peer := netip.MustParseAddrPort(smf), netip.MustParseAddrPort(upf)
	c := dial(t, net.UDPAddrFromAddrPort(peer), d, func(cfg *Config) {
		cfg.Conn.Close()
		cfg.NodeID, cfg.T1, cfg.N1 = local.Addr(), 0, 0
		if cfg.Conn, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(local)); err != nil {
			t.Fatal(err)
		}
	})
	lifecycle(t, c, 1000)
	t.Logf("%+v", c.Stats())
}
