package livetest

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
)

// Strays: a G-PDU for no tunnel is handed over with its sender.
func Strays(t *testing.T, d datapath.Datapath) {
	got := make(chan uint32, 10)
	d.Capabilities().Deliver(func(message []byte, from netip.AddrPort) {
		if from == netip.MustParseAddrPort("192.0.2.2:2152") {
			got <- binary.BigEndian.Uint32(message[4:])
		}
	})
	l := NewLab(t, d)
	tpdu := Octets(t, SegmentsOf(t, false)[0].Packets[0])
	_, err := l.N3.Send([][]byte{FromGNB(t, gtpu.AppendGPDU(nil, 0xabcdef, nil, tpdu))})
	Must(t, err)
	select {
	case teid := <-got:
		if teid != 0xabcdef {
			t.Errorf("TEID %#x was handed over", teid)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing was handed over")
	}
}
