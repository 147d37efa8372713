package engine

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// TestLines: N3 carries frames with the tunnel, N6 without, in either direction; a link whose
// speed is not known is none.
func TestLines(t *testing.T) {
	shapes, streams := []traffic.Shape{{Payload: 1400}}, []traffic.Stream{{UE: netip.MustParseAddr("10.45.0.2")}}
	flows := []*traffic.Flow{
		{Direction: record.Uplink, Shapes: shapes, Streams: streams},
		{Direction: record.Downlink, Shapes: shapes, Streams: streams, Expect: traffic.Expect{Encapsulated: true, PSC: true}},
	}
	both := traffic.Sequence{{Flow: 0}, {Flow: 1}, {Flow: 1}, {Flow: 1}}
	list := speeds{n3: 10e9, n6: 25e9}.lines(flows, both, record.Both)
	if len(list) != 4 {
		t.Fatalf("%+v", list)
	}
	for i, want := range []struct {
		link  string
		frame int
		share float64
	}{{"n3", 1486, 0.25}, {"n6", 1442, 0.25}, {"n6", 1442, 0.75}, {"n3", 1486, 0.75}} {
		if l := list[i]; l.Link != want.link || l.FrameBytes != want.frame || l.Share != want.share {
			t.Errorf("line %d is %+v, want %+v", i, l, want)
		}
	}
	if list := (speeds{n6: 1e9}).lines(flows, both[:1], record.Uplink); len(list) != 1 || list[0].Link != "n6" {
		t.Errorf("%+v", list)
	}
}
