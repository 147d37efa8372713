package forward

import (
	"bytes"
	"testing"

	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// TestNoECN: in compatibility mode outer headers have no ECN field, and T-PDUs are as with it.
func TestNoECN(t *testing.T) {
	for _, c := range datapathtest.Frames(t) {
		if c.Name != "n6 ecn ce" && c.Name != "n6 ipv6 ecn ce" {
			continue
		}
		f := forwarderFor(t)
		f.noECN = true
		for _, r := range datapathtest.FrameSessions() {
			f.remove(r)
			if err := f.insert(r); err != nil {
				t.Fatal(err)
			}
		}
		want := c.Output(t)
		const tos, tpdu = EthernetBytes + 1, EthernetBytes + ipBytes + udpBytes + 16
		got, v := f.one(Downlink, c.Input(t))
		if v != Forward || want[tos] != ce || got[tos] != notECT || !isIntact(got[EthernetBytes:]) || !bytes.Equal(got[tpdu:], want[tpdu:]) {
			t.Errorf("%s: verdict %d, sent\n%x, want it as\n%x with an outer type of service of 0", c.Name, v, got, want)
		}
	}
}
