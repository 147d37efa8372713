package bench

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

func TestSessions(t *testing.T) {
	s := scenariotest.Open(t, "load-latency", "sessions=300", "ue.first=10.45.0.250", "qfi=5")
	list := Sessions(s, smf.AssignSMF)
	for _, c := range []struct {
		index    int
		ue       string
		up, down uint32
	}{
		{0, "10.45.0.250", 1, 2}, // the study's TEIDs
		{1, "10.45.0.251", 3, 4},
		{6, "10.45.1.0", 13, 14},
		{299, "10.45.2.37", 599, 600},
	} {
		want := smf.Session{
			Index: c.index, UE: netip.MustParseAddr(c.ue), UplinkTEID: c.up, DownlinkTEID: c.down, QFI: 5,
			GNB: netip.MustParseAddr("192.168.13.131"), N3: netip.MustParseAddr("192.168.13.151"),
			NetworkInstance: "internet",
		}
		if got := list[c.index]; got != want {
			t.Errorf("session %d:\n got %+v\nwant %+v", c.index, got, want)
		}
	}
	s = scenariotest.Open(t, "ue-isolation")
	slices := Sessions(s, smf.AssignSMF)
	for i, want := range []string{"internet", "ims", "internet"} {
		if got := slices[i].NetworkInstance; got != want {
			t.Errorf("session %d is in %s, want %s", i, got, want)
		}
	}
	if len(list) != 300 {
		t.Errorf("%d sessions, want 300", len(list))
	}
}

// TestSessionsOfUPFsChoice: 0 asks the UPF to choose; the gNB's TEIDs stay ours.
func TestSessionsOfUPFsChoice(t *testing.T) {
	for i, x := range Sessions(scenariotest.Open(t, "load-latency", "sessions=3"), smf.AssignUPF) {
		if x.UplinkTEID != 0 || x.DownlinkTEID != uint32(2+2*i) {
			t.Errorf("session %d: TEIDs %d and %d", i, x.UplinkTEID, x.DownlinkTEID)
		}
	}
}
