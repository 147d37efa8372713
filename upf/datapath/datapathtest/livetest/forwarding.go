package livetest

import (
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// Datapath is a datapath with workers.
type Datapath interface {
	datapath.Datapath
	datapath.Staffed
}

// Forwarding sends scapy's frames through a datapath: those that are forwarded come
// out as scapy has them, but for what the kernel may choose of the outer headers.
func Forwarding(t *testing.T, d Datapath) {
	l := NewLab(t, d)
	forwarded := 0
	for _, f := range datapathtest.Frames(t) {
		in, out := l.N3, l.N6
		if f.Program == "n6" {
			in, out = out, in
		}
		if f.Verdict != "redirect" || len(f.Input(t)) > 1514 {
			continue // the links here take no more
		}
		_, err := in.Send([][]byte{f.Input(t)})
		Must(t, err)
		forwarded++
		want, got := blind(f.Output(t), f.Program == "n6"), blind(Next(t, out), f.Program == "n6")
		if !slices.Equal(got, want) && !isPadded(d, got, want) {
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
	busy := 0
	for _, w := range d.Workers() {
		if w.Received > 0 {
			busy++
		}
	}
	if len(d.Workers()) > 1 && busy < 2 {
		t.Errorf("%d of %d workers received packets: the tunnels are not spread", busy, len(d.Workers()))
	}
}

// isPadded is true of a frame with padding behind it, of a datapath that does not take it
// off.
func isPadded(d datapath.Datapath, got, want []byte) bool {
	p, may := d.(interface{ KeepsPadding() bool })
	return may && p.KeepsPadding() && len(got) > len(want) && slices.Equal(got[:len(want)], want)
}

// Carried is what the workers count once they have counted so many, or after a while.
func Carried(d datapath.Staffed, want int) (sent, lost int) {
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		sent, lost = 0, 0
		for _, w := range d.Workers() {
			sent, lost = sent+int(w.Sent), lost+int(w.Lost)
		}
		if sent+lost >= want || time.Now().After(deadline) {
			return sent, lost
		}
	}
}
