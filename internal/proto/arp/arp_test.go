package arp

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"testing"
)

// Frames of scapy 2.5: Ether(...)/ARP(op=1, psrc="192.0.2.2", pdst="192.0.2.1") and the reply.
const (
	scapyRequest = "ffffffffffff02000000010108060001080006040001020000000101c0000202000000000000c0000201"
	scapyReply   = "02000000010102000000010208060001080006040002020000000102c0000201020000000101c0000202"
)

func TestFrame(t *testing.T) {
	tester, upf := [6]byte{2, 0, 0, 0, 1, 1}, [6]byte{2, 0, 0, 0, 1, 2}
	own, theirs := netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.1")
	for _, c := range []struct {
		scapy string
		frame []byte
		says  Message
	}{
		{scapyRequest, Frame(Request, tester, Broadcast, own, theirs), Message{Request, tester, own, theirs}},
		{scapyReply, Frame(Reply, upf, tester, theirs, own), Message{Reply, upf, theirs, own}},
	} {
		want, err := hex.DecodeString(c.scapy)
		if err != nil {
			t.Fatal(err)
		}
		if padded := append(want, make([]byte, 18)...); !bytes.Equal(c.frame, padded) {
			t.Errorf("got  %x\nwant %x", c.frame, padded)
		}
		if m, ok := Parse(want); !ok || m != c.says {
			t.Errorf("%x says %+v, %v, want %+v", want, m, ok, c.says)
		}
		want[13] = 0
		for _, not := range [][]byte{want, c.frame[:41], nil} {
			if m, ok := Parse(not); ok {
				t.Errorf("% x is taken for %+v", not, m)
			}
		}
	}
}
