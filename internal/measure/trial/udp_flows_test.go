package trial

import (
	"testing"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/engine"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// TestUDPFlows: a flow has a stream for each UDP flow of each address, the first flows of all sessions before the second
// ones, with source ports that follow each other; classes follow the sessions.
func TestUDPFlows(t *testing.T) {
	s, err := scenario.Open("stress", []string{"udp.flows=3", "udp.source=5000", "sessions=5", "ue.family=both", "qfis=[5,9]"}, false)
	if err != nil {
		t.Fatal(err)
	}
	established := bench.Sessions(s, smf.AssignSMF)
	f := engine.WireFlow(s, &sitetest.Fake{}, record.Uplink)
	if len(f.Streams) != 3*5*2 || s.StreamsEach() != 6 || !f.OwnPorts() {
		t.Fatalf("%d streams, %d each", len(f.Streams), s.StreamsEach())
	}
	classes, turn := s.ClassTurn(), classTurn(s, 5)
	for i, x := range f.Streams {
		session := i / 2 % 5
		if of := established[session]; x.SourcePort != uint16(5000+i/10) || x.UplinkTEID != of.UplinkTEID || x.UE.Is6() != (i%2 == 1) ||
			x.QFI != of.QFI || turn[i%len(turn)] != classes[session%len(classes)] {
			t.Errorf("stream %d: %+v, class %d", i, x, turn[i%len(turn)])
		}
	}
}
