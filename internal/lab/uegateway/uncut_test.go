package uegateway

import (
	"encoding/binary"
	"encoding/json"
	"net/netip"
	"os"
	"testing"

	"github.com/cilium/ebpf"
)

// TestUncut: a segment that is still to be cut does not get one GTP-U header for all
// of its parts.
func TestUncut(t *testing.T) {
	g := frameGateway(t)
	b, err := os.ReadFile("testdata/frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []frame
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	const gsoSegs, gsoSize, size = 164, 176, 184 // of struct __sk_buff
	context := make([]byte, size)
	binary.NativeEndian.PutUint32(context[gsoSegs:], 3)
	binary.NativeEndian.PutUint32(context[gsoSize:], 1000)
	in := unhex(t, all[0].Frame)
	verdict, err := g.prog.FromUe.Run(&ebpf.RunOptions{Data: in, DataOut: make([]byte, 256), Context: context})
	if err != nil {
		t.Fatal(err)
	}
	if c := counted(t, g); verdict != verdicts["drop"] || c.Dropped[Uncut] != 1 || c.UplinkPackets != 0 {
		t.Errorf("verdict %d, counted %+v", verdict, c)
	}
}

// TestSetMoves: after a handover the new tunnel is known and the old one is not.
func TestSetMoves(t *testing.T) {
	g := frameGateway(t)
	u := g.UEs()[0]
	old := keyOf(u)
	u.GNB, u.DownlinkTEID = u.GNB.Next(), 77
	if err := g.Set(u); err != nil {
		t.Fatal(err)
	}
	var in gatewayUe
	if err := g.prog.Downlink.Lookup(old, &in); err == nil {
		t.Error("the old tunnel is known")
	}
	if err := g.prog.Downlink.Lookup(keyOf(u), &in); err != nil || in.Address != words(u.Address)[0] || in.Prefix != [2]uint32(firstHalf(u.Address6)) {
		t.Errorf("the new tunnel: %+v, %v", in, err)
	}
	for _, from := range u.keys() {
		var out gatewayTunnel
		if err := g.prog.Uplink.Lookup(sourceKey(from), &out); err != nil || out.Source != words(u.GNB) {
			t.Errorf("the way up of %s: %+v, %v", from, out, err)
		}
	}
	u.Address, u.Address6 = u.Address.Prev().Prev(), netip.Addr{}
	if err := g.Set(u); err == nil {
		t.Error("a UE that is not there has a tunnel")
	}
}
