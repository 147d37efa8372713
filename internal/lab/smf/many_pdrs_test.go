package smf

import (
	"net/netip"
	"testing"
)

// TestSessionWithTheMostPDRs: the reference UPF takes sessions with as many PDRs as there can be, of UEs with either family.
func TestSessionWithTheMostPDRs(t *testing.T) {
	addr, dp := reference(t)
	c := dial(t, addr, Standard(), patient)
	if _, err := c.Associate(t.Context()); err != nil {
		t.Fatal(err)
	}
	sessions := manySessions(2)
	sessions[0].PDRs, sessions[0].UE = MaxPDRs, netip.MustParseAddr("2001:db8:45:1::2")
	sessions[1].PDRs = MaxPDRs
	e, err := c.Establish(t.Context(), sessions)
	if err != nil || dp.Len() != 2 {
		t.Fatalf("%d sessions in the datapath: %v", dp.Len(), err)
	}
	if err := c.Delete(t.Context(), e); err != nil {
		t.Error(err)
	}
}
