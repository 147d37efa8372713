package livetest

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

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
		_, err := in.Send([][]byte{f.Input(t)})
		Must(t, err)
		if got, want := Next(t, out), f.Output(t); !slices.Equal(got, want) {
			t.Errorf("%s: sent\n%x, want\n%x", f.Name, got, want)
		}
	}
}
