package livetest

import (
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// LinkMTU changes N3's MTU while a datapath runs: what does not fit is no longer sent, and what fits
// is, also what did not fit before the datapath was opened.
func LinkMTU(t *testing.T, d datapath.Datapath) {
	l := NewLab(t, d)
	byName := map[string]datapathtest.Frame{}
	for _, f := range datapathtest.Frames(t) {
		byName[f.Name] = f
	}
	fits, big := byName["n6 largest for the mtu"], byName["n6 too big"]
	setMTU := func(octets int, names ...string) {
		t.Helper()
		for _, name := range names {
			link, err := netlink.LinkByName(name)
			Must(t, err)
			Must(t, netlink.LinkSetMTU(link, octets))
		}
	}
	send := func(f datapathtest.Frame) []byte {
		_, err := l.N6.Send([][]byte{f.Input(t)})
		Must(t, err)
		return Next(t, l.N3)
	}
	if got := send(fits); !slices.Equal(blind(got, true), blind(fits.Output(t), true)) {
		t.Fatalf("before, sent\n%x", got)
	}
	setMTU(1400, "n3")
	before := tooBig(t, d)
	until(t, "packets that do not fit N3 any more are sent on", func() bool {
		_, err := l.N6.Send([][]byte{fits.Input(t)})
		Must(t, err)
		return tooBig(t, d) > before
	})
	setMTU(1600, "n3p", "n6p", "n3", "n6")
	for l.N3.Next() != nil { // what was sent before
		l.N3.Release()
	}
	until(t, "a packet that fits N3 now is not sent on", func() bool {
		got := send(big)
		return len(got) == 14+44+tpduLength(big.Input(t))
	})
}

func tpduLength(frame []byte) int { return int(frame[16])<<8 | int(frame[17]) }

// until waits for something that is done again and again.
func until(t *testing.T, failed string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(failed)
		}
	}
}
