package livetest

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// blind6 takes out of a frame with a tunnel over IPv6 what the kernel chooses where it sends
// it: the flow label, and the checksum, which it may leave to the link.
func blind6(d datapath.Datapath, frame []byte) []byte {
	if sentByKernel(d) && len(frame) > 62 && frame[12] == 0x86 && frame[20] == 17 && frame[57] == 104 {
		frame[15] &= 0xf0
		clear(frame[16:18])
		clear(frame[60:62])
	}
	return frame
}

// OuterIPv6 sends scapy's frames over IPv6 on N3 through a datapath whose address there is
// datapathtest.N3Address6.
func OuterIPv6(t *testing.T, d datapath.Datapath) {
	l := NewLab(t, d)
	Must(t, d.Apply([]datapath.Change{{New: datapathtest.OuterSession()}}))
	for _, f := range datapathtest.OuterFrames(t) {
		in, out := l.N3, l.N6
		if f.Program == "n6" {
			in, out = out, in
		}
		if f.Verdict != "redirect" {
			continue
		}
		if got, want := blind6(d, exchange(t, in, out, f.Input(t))), blind6(d, f.Output(t)); !slices.Equal(got, want) {
			t.Errorf("%s: sent\n%x, want\n%x", f.Name, got, want)
		}
	}
}

// exchange sends a frame and gives what comes of it. Where that is nothing it sends it once
// more: the kernel loses a packet over IPv6 while it still sets the address up.
func exchange(t *testing.T, in, out *tpacket.Port, frame []byte) (got []byte) {
	for range 2 {
		_, err := in.Send([][]byte{frame})
		Must(t, err)
		if got = Next(t, out); len(got) > 0 {
			break
		}
	}
	return got
}
