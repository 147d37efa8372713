package livetest

import (
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// Forwarding sends scapy's frames through a datapath with workers: those that are forwarded
// leave as scapy computes them, except for the outer header fields that the kernel may choose.
func Forwarding(t *testing.T, d datapath.Datapath) { forwarding(t, d, false) }

// ForwardingPadded is Forwarding for a datapath that sends Ethernet's padding on with a packet.
func ForwardingPadded(t *testing.T, d datapath.Datapath) { forwarding(t, d, true) }

func forwarding(t *testing.T, d datapath.Datapath, padded bool) {
	l := NewLab(t, d)
	forwarded := 0
	for _, f := range datapathtest.Frames(t) {
		in, out := l.N3, l.N6
		if f.Program == "n6" {
			in, out = out, in
		}
		if f.Verdict != "redirect" || len(f.Input(t)) > 1514 || f.Name == "n6 largest for the mtu, no qfi" && sentByKernel(d) {
			continue // the links here take no more, and a device has room for a container
		}
		_, err := in.Send([][]byte{f.Input(t)})
		Must(t, err)
		forwarded++
		want, got := blind(f.Output(t), f.Program == "n6"), blind(Next(t, out), f.Program == "n6")
		if !slices.Equal(got, want) && !(padded && isPadded(got, want)) {
			t.Errorf("%s: sent\n%x, want\n%x", f.Name, got, want)
		}
	}
	n, err := d.Counters()
	Must(t, err)
	if int(n.Uplink.Packets+n.Downlink.Packets) != forwarded || forwarded == 0 {
		t.Errorf("counters %+v after %d forwarded packets", n, forwarded)
	}
	if sent, lost := Carried(d, forwarded); sent != forwarded || lost != 0 {
		t.Errorf("workers sent %d and lost %d of %d", sent, lost, forwarded)
	}
	busy, workers := 0, d.Capabilities().Workers()
	for _, w := range workers {
		if w.Received > 0 {
			busy++
		}
	}
	if len(workers) > 1 && busy < 2 {
		t.Errorf("%d of %d workers received packets: the tunnels are not spread", busy, len(workers))
	}
}

// isPadded reports whether a frame is the wanted one with padding behind it.
func isPadded(got, want []byte) bool {
	return len(got) > len(want) && slices.Equal(got[:len(want)], want)
}

// Carried is what the workers count once they have counted so many, or after a while.
func Carried(d datapath.Datapath, want int) (sent, lost int) {
	wait.Until(5*time.Second, 10*time.Millisecond, func() bool {
		sent, lost = 0, 0
		for _, w := range d.Capabilities().Workers() {
			sent, lost = sent+int(w.Sent), lost+int(w.Lost)
		}
		return sent+lost >= want
	})
	return sent, lost
}
