package netdev

import (
	"encoding/hex"
	"os"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

const vethAnswer = "0101000008000100030000000c00030023000000000000000c00050007000000000000000c0006000000000000000000"

// TestDecodeXDPFeatures: answers of Linux 6.18, read by a Python script over a netlink
// socket, and one of a NIC as include/uapi/linux/netdev.h has it.
func TestDecodeXDPFeatures(t *testing.T) {
	for _, c := range []struct {
		story, answer string
		want          XDPFeatures
	}{
		{"a loopback device", "0101000008000100010000000c00030000000000000000000c00050000000000000000000c0006000000000000000000", XDPFeatures{}},
		{"a veth", vethAnswer, XDPFeatures{Acts: ActBasic | ActRedirect | 32, RxMetadata: 1 | 2 | 4}},
		{"Linux 6.3, without sockets' flags", "0101000008000100070000000c0003000f00000000000000",
			XDPFeatures{Acts: ActBasic | ActRedirect | ActXmit | ActZeroCopy}},
		{"a NIC with both time stamps",
			"0101000008000100070000000c0003000f000000000000000c00050001000000000000000c00060003000000000000000800040001000000",
			XDPFeatures{Acts: 15, RxMetadata: RxTimestamp, Socket: TxTimestamp | 2}},
	} {
		b, err := hex.DecodeString(c.answer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeXDPFeatures(b)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.story, got, err, c.want)
		}
	}
	if _, err := decodeXDPFeatures([]byte{1}); err == nil {
		t.Error("an answer of one octet is read")
	}
}

func FuzzDecodeXDPFeatures(f *testing.F) {
	fuzztest.Brief(f)
	b, _ := hex.DecodeString(vethAnswer)
	f.Add(b)
	f.Fuzz(func(_ *testing.T, b []byte) { decodeXDPFeatures(b) })
}

// TestRedirects: nothing can be redirected to a loopback device; to a veth it can, though
// it says so only while its other end has a program or GRO.
func TestRedirects(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	ns, err := New("upflab-test-features")
	if err != nil {
		t.Fatal(err)
	}
	defer ns.Close()
	if err := ns.nl.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "va"}, PeerName: "vb"}); err != nil {
		t.Fatal(err)
	}
	link, err := ns.nl.LinkByName("va")
	if err != nil {
		t.Fatal(err)
	}
	lo, va := Port{NS: ns, Name: "lo", Index: 1}, Port{NS: ns, Name: "va", Index: link.Attrs().Index}
	if redirects, f, err := lo.XDP().Redirects(); redirects || f != (XDPFeatures{}) || err != nil {
		t.Errorf("lo: %v, %+v, %v", redirects, f, err)
	}
	if f, err := va.XDP().Features(); f.Acts&ActXmit != 0 || f.RxMetadata&RxTimestamp == 0 || err != nil {
		t.Errorf("va: %+v, %v", f, err)
	}
	if redirects, f, err := va.XDP().Redirects(); !redirects || f.Acts&ActZeroCopy != 0 || err != nil {
		t.Errorf("va: %v, %+v, %v", redirects, f, err)
	}
}
