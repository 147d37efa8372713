package forward

import (
	"bytes"
	"testing"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// TestHandingOn: copies and markings of FARs, and paging behind another UPF.
func TestHandingOn(t *testing.T) {
	f, err := intermediateFor(t, Config{})
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan datapath.Held, 1)
	f.OnHold(func(h datapath.Held) {
		h.TPDU = bytes.Clone(h.TPDU)
		held <- h
	})
	if err := f.Apply([]datapath.Change{{Old: datapathtest.Intermediate(), New: datapathtest.HandingOn()}}); err != nil {
		t.Fatal(err)
	}
	datapathtest.CheckHandingOn(t, func(frame []byte) []byte {
		out, _ := f.one(Uplink, frame)
		return out
	}, func() datapath.Held { return <-held })
}

// TestResolverRouted: a packet that the kernel has forwarded, and whose TTL it has counted down to 1, is
// still to be sent; one that nobody has forwarded has no hop left.
func TestResolverRouted(t *testing.T) {
	by, err := NewResolver(datapathtest.Session(1))
	if err != nil {
		t.Fatal(err)
	}
	ue := datapathtest.Session(1).PDRs[1].PDI.UE.As4()
	tpdu := append([]byte{0x45, 0, 0, 20, 0, 0, 0, 0, 1, 59, 0, 0, 198, 51, 100, 2}, ue[:]...)
	checksum.SealIPv4(tpdu)
	for _, routed := range []bool{true, false} {
		if _, _, ok := by.Resolve(0, datapath.Held{PDR: 2, Routed: routed, TPDU: tpdu}); ok != routed {
			t.Errorf("routed %v: sent %v", routed, ok)
		}
	}
}
