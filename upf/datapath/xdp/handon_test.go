package xdp

import (
	"bytes"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// TestHandingOn: copies and markings of FARs, and paging behind another UPF.
func TestHandingOn(t *testing.T) {
	d := withIntermediate(t)
	held := make(chan datapath.Held, 16)
	d.dp.OnHold(func(h datapath.Held) {
		h.TPDU = bytes.Clone(h.TPDU)
		held <- h
	})
	must(t, "Apply", d.dp.Apply([]datapath.Change{{Old: datapathtest.Intermediate(), New: datapathtest.HandingOn()}}))
	datapathtest.CheckHandingOn(t, func(frame []byte) []byte {
		got := d.inKernel(t, d.dp.ports[0], frame)
		if got.verdict != "sent" {
			return nil
		}
		return got.frame
	}, func() (h datapath.Held) {
		select {
		case h = <-held:
		case <-time.After(10 * time.Second):
			t.Error("nothing is handed on")
		}
		return h
	})
}
