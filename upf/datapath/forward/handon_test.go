package forward

import (
	"bytes"
	"testing"

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
