package livetest

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// Relay sends frames through a datapath that go from a tunnel into a tunnel (N9), and by
// an uplink classifier to N6.
func Relay(t *testing.T, d datapath.Datapath) {
	sent := SamePort(t, d)
	if n, lost := Carried(d, sent); n != sent || lost != 0 {
		t.Errorf("workers sent %d and lost %d of %d", n, lost, sent)
	}
}

// SamePort is Relay for datapaths without workers: what goes from a tunnel into a tunnel leaves by
// the port that it came in by, which a receiver may need more for than for other frames. It gives the
// number of frames that were sent.
func SamePort(t *testing.T, d datapath.Datapath) (sent int) {
	var l Lab
	for name, port := range map[string]**tpacket.Port{"n3p": &l.N3, "n6p": &l.N6} {
		p, err := tpacket.Open(tpacket.Config{Interface: name, MaxFrame: 65000, Frames: 256})
		Must(t, err)
		t.Cleanup(func() { p.Close() })
		*port = p
	}
	Must(t, d.Apply([]datapath.Change{{New: datapathtest.Intermediate()}}))
	same := 0
	for _, f := range datapathtest.RelayFrames(t) {
		out := l.N3
		if f.ByN6 {
			out = l.N6
		}
		_, err := l.N3.Send([][]byte{f.In})
		Must(t, err)
		if len(f.Out) == 0 {
			continue
		}
		if sent++; !f.ByN6 {
			same++
		}
		if got, want := blind(Next(t, out), !f.ByN6), blind(f.Out, !f.ByN6); !slices.Equal(got, want) {
			t.Errorf("%s: sent\n%x, want\n%x", f.Name, got, want)
		}
	}
	if same == 0 {
		t.Error("no frame leaves by the port that it came in by")
	}
	return sent
}
