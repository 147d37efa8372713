package pfcp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/session"
)

// TestN4OverIPv6: scapy's messages of an SMF with IPv6. Reports go to the address in the CP F-SEID, of one
// with both families to that of N4's.
func TestN4OverIPv6(t *testing.T) {
	b := newBench(t, func(c *Config) { c.N4, c.NodeID = netip.MustParseAddr("2001:db8:4::8"), "2001:db8:4::8" })
	b.peer = netip.MustParseAddrPort("[2001:db8:4::7]:8805")
	b.play("ipv6-n4-setup", "ipv6-n4-establish")
	reported := func() (to netip.AddrPort) {
		b.requests.numbers.Start(1)
		b.requests.transmit = func(_ []byte, at netip.AddrPort) { to = at }
		b.now = b.now.Add(2 * time.Second)
		b.TunnelGone(session.OuterHeader{TEID: 2, Peer: netip.MustParseAddr("192.0.2.1")}, b.now)
		b.catchUp()
		return to
	}
	if to := reported(); to != netip.MustParseAddrPort("[2001:db8:4::7]:8805") {
		t.Errorf("the first report goes to %v", to)
	}
	b.play("ipv6-n4-move")
	if to := reported(); to != netip.MustParseAddrPort("[2001:db8:4::17]:8805") {
		t.Errorf("after a modification a report goes to %v", to)
	}
	b.play("ipv6-n4-both")
	if to := reported(); to != netip.MustParseAddrPort("[2001:db8:4::7]:8805") {
		t.Errorf("with both families a report goes to %v", to)
	}
	b.play("ipv6-n4-delete")
}
