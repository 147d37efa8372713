package n4

import (
	"net/netip"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// TestN4OverIPv6: scapy's messages of an SMF with IPv6. Reports go to the address in the CP F-SEID, of one
// with both families to that of N4's.
func TestN4OverIPv6(t *testing.T) {
	b := newBench(t, func(c *Config) { c.N4, c.NodeID = netip.MustParseAddr("2001:db8:4::8"), "2001:db8:4::8" })
	b.peer = netip.MustParseAddrPort("[2001:db8:4::7]:8805")
	b.play("ipv6-n4-setup", "ipv6-n4-establish")
	reported := func() (to netip.AddrPort) {
		b.requests.Numbers.Start(1)
		b.requests.Transmit = func(_ []byte, at netip.AddrPort) { to = at }
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

// TestIPv6AloneOnIPv4: an SMF whose Node ID and CP F-SEID have IPv6 alone, while N4 is of IPv4, is served: it has its
// session, and reports go to the address that the association is with. A Node ID that is too short is refused.
func TestIPv6AloneOnIPv4(t *testing.T) {
	b := newBench(t, nil)
	six := netip.MustParseAddr("2001:db8:4::7")
	node, stamp := ie.NewNodeID("", six.String(), ""), ie.NewUint32IE(ie.RecoveryTimeStamp, recovery)
	b.wantCause("a Node ID of half an IPv6 address", b.raw(pfcp.Encode(pfcp.AssociationSetupRequest, 0, 1,
		ie.New(ie.NodeID, []byte{1, 0x20, 1, 0xd, 0xb8}), stamp)), ie.CauseInvalidLength)
	b.wantCause("a Node ID of IPv6", b.raw(pfcp.Encode(pfcp.AssociationSetupRequest, 0, 2, node, stamp)), ie.CauseRequestAccepted)
	m := establishmentOf(3, "10.45.0.2")
	m.NodeID, m.CPFSEID = node, ie.NewFSEID(cpSEID1, nil, six.AsSlice())
	b.wantCause("a CP F-SEID of IPv6", b.raw(octetsOf(t, m)), ie.CauseRequestAccepted)
	var to netip.AddrPort
	b.requests.Numbers.Start(1)
	b.requests.Transmit = func(_ []byte, at netip.AddrPort) { to = at }
	b.now = b.now.Add(2 * time.Second)
	b.TunnelGone(*b.rules().FARs[1].Outer, b.now)
	b.catchUp()
	if to != b.peer {
		t.Errorf("a report goes to %v, want %v", to, b.peer)
	}
	b.wantCause("a modification", b.raw(pfcp.Encode(pfcp.SessionModificationRequest, firstSEID, 4,
		ie.NewFSEID(cpSEID2, nil, six.AsSlice()))), ie.CauseRequestAccepted)
	b.wantCause("deletion", b.raw(pfcp.Encode(pfcp.SessionDeletionRequest, firstSEID, 5)), ie.CauseRequestAccepted)
	b.wantCause("release", b.raw(pfcp.Encode(pfcp.AssociationReleaseRequest, 0, 6, node)), ie.CauseRequestAccepted)
}
