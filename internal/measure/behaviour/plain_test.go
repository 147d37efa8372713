package behaviour

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/lab/smf"
)

// TestUplinkPDIHasTheUE: a UPF can hold uplink packets to their UE's address only if it is told it, in whatever dialect.
func TestUplinkPDIHasTheUE(t *testing.T) {
	g := Sample()
	u := g.UE(0)
	node := netip.MustParseAddr("192.0.2.4")
	// UE IP Address (type 93) with V4 and without S/D: the source (TS 29.244 clause 8.2.62), 10.45.0.2.
	want := []byte{0, 93, 0, 5, 0x02, 10, 45, 0, 2}
	for _, d := range []smf.Dialect{smf.Standard(), smf.EUPF(), smf.Open5GS(), smf.Free5GC(), smf.UPGVPP(), smf.SDCore(), smf.OAI(),
		smf.OAIXDP(), smf.SPGWUTiny(), smf.NextGCore()} {
		s := Plain(u, g)
		w := &smf.Writer{Dialect: d, Instance: "internet", N3: g.UPF}
		if d.Assign == smf.AssignUPF {
			s.PDRs[0].TEID, s.PDRs[0].Choose = 0, true
		}
		if message := w.Establishment(1, node, 7, node, &s); bytes.Count(message, want) != 1 {
			t.Errorf("%s: no UE IP Address for the source in %x", d.Name, message)
		}
	}
}
