package behaviour

import "testing"

// TestUplinkArrivesAtNoGNB: where a packet has to arrive on N3.
func TestUplinkArrivesAtNoGNB(t *testing.T) {
	up := Up(&UE{}, "")
	if up.gnb().IsValid() {
		t.Error("an uplink packet arrives at a gNB")
	}
}
