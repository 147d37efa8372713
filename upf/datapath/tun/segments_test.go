package tun

import (
	"testing"

	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// TestMergedUplink: packets of a flow go into the device as one, and leave as they came.
func TestMergedUplink(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Uncut(t, "n6")
			d := openHere(t, c)
			livetest.MergedUplink(t, d, func() uint64 { return joined(d) })
		})
	}
}

// TestCutDownlink: what the device hands over as one leaves as packets.
func TestCutDownlink(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Uncut(t, "n3")
			d := openHere(t, c)
			livetest.CutDownlink(t, d)
			if joined(d) == 0 {
				t.Error("the kernel cut all packets itself")
			}
		})
	}
}

// joined is how many packets travelled as one with others.
func joined(d *Datapath) (n uint64) {
	for _, w := range d.Workers() {
		n += w.Joined
	}
	return n
}
