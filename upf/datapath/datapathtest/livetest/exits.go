package livetest

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// Exits sends scapy's frames of tunnels on N6 through a datapath that has
// datapathtest.N6Tunnels.
func Exits(t *testing.T, d datapath.Datapath) {
	l := NewLab(t, d)
	for _, r := range datapathtest.ExitSessions() {
		Must(t, d.Apply([]datapath.Change{{New: r}}))
	}
	for _, f := range datapathtest.ExitFrames(t) {
		in, out := l.N3, l.N6
		if f.Program == "n6" {
			in, out = out, in
		}
		if len(f.Input(t)) > 1514 {
			continue // the links here take no more
		}
		_, err := in.Send([][]byte{f.Input(t)})
		Must(t, err)
		if f.Verdict != "redirect" {
			continue
		}
		if got, want := blindOuter(d, Next(t, out)), blindOuter(d, f.Output(t)); !slices.Equal(got, want) {
			t.Errorf("%s: sent\n%x, want\n%x", f.Name, got, want)
		}
	}
}

// sentByKernel reports whether the kernel writes the outer headers: the datapath then sends from
// sockets on N3's port.
func sentByKernel(d datapath.Datapath) bool { return d.Capabilities().Signalling != nil }

// blindOuter takes out of a frame with an outer header what is the sender's choice:
// identification, and where the kernel sends it, the flow label, and checksums that it leaves
// to the link.
func blindOuter(d datapath.Datapath, frame []byte) []byte {
	if len(frame) < 62 {
		return frame
	}
	kernel := sentByKernel(d)
	switch {
	case frame[12] == 8:
		clear(frame[18:20])
		clear(frame[24:26])
		if kernel && frame[23] == 17 {
			clear(frame[40:42])
		}
	case kernel:
		frame[15] &= 0xf0
		clear(frame[16:18])
		if frame[20] == 17 {
			clear(frame[60:62])
		}
	}
	return frame
}
