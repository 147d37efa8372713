package xdp

import (
	"testing"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/receive"
)

// A packet may arrive with the codepoint that it was sent with or, where that is ECT, with CE, which is counted; with any
// other, or with a DSCP, it is wrong: in both receivers, in both families.
func TestECN(t *testing.T) {
	const dscp = 1 << 2
	classes := []traffic.ECN{traffic.NotECT, traffic.ECT1, traffic.ECT0, traffic.CE, dscp, dscp | traffic.CE}
	for _, x := range []struct {
		sent                    traffic.ECN
		received, marked, wrong uint64
		copies                  uint64
	}{
		{traffic.NotECT, 1, 0, 8, 0},
		{traffic.ECT0, 2, 1, 6, 1},
		{traffic.ECT1, 2, 1, 5, 2},
	} {
		for _, name := range []string{"IPv4", "of IPv6"} {
			f := ofFamilies(testFlow(record.Uplink, 200, traffic.Expect{Encapsulated: true, Unchanged: true}), name)
			f.ECN, f.Destination = x.sent, f.Expect.MAC
			s, twin := openTestSink(t, f), receive.New(f)
			if err := s.Begin(testTrial); err != nil {
				t.Fatal(err)
			}
			twin.Begin(testTrial)
			for k, class := range classes {
				sent := *f
				sent.ECN = class
				b := sent.Frame(f.Streams[0], 0)
				at := uplinkSignatureAt + traffic.LayoutOf(f.Streams[0].UE).Bytes - 20
				sig := signature.Signature{Word: signature.Word(0, 0), Trial: testTrial, Sequence: uint64(k), Intended: 1, Sent: 1}
				sig.Put(b[at:])
				checksum.Put(b[at-2:], checksum.FinishUDP(f.UDPSum(f.Streams[0], 0, 0)+sig.VaryingSum()))
				for range 1 + k%2 { // a copy has no mark that counts
					s.receive(t, b)
					twin.Frame(b, 5e6)
				}
			}
			o, err := s.Outcome([]uint64{6, 0, 0})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []traffic.FlowOutcome{o, twin.Outcome([]uint64{6, 0, 0})} {
				wrong := uint64(0)
				for _, w := range o.Wrong {
					if w.Place != "inner IP header" {
						t.Errorf("%s %d: wrong %v", name, x.sent, o.Wrong)
					}
					wrong += w.Packets
				}
				if o.Received != x.received || o.Marked != x.marked || wrong != x.wrong || o.Duplicates != x.copies {
					t.Errorf("%s, sent as %d: %d received, %d marked, %d wrong, %d copies", name, x.sent, o.Received, o.Marked, wrong, o.Duplicates)
				}
			}
		}
	}
}
