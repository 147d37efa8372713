package tun

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/gtpu"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/wire/checksum"
)

// attempts are made until packets have travelled as one: the worker may be quicker than
// they come.
const attempts = 50

// TestMergedUplink: packets of a flow go into the device as one, and leave as they came.
func TestMergedUplink(t *testing.T) {
	for _, name := range []string{"tun", "tap"} {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Uncut(t, "n6")
			d := openHere(t, kinds[name])
			l := livetest.NewLab(t, d)
			for _, s := range livetest.SegmentsOf(t, false) {
				before := d.Workers()[0].Joined
				for try := 0; try < attempts && d.Workers()[0].Joined == before; try++ {
					mergedUplink(t, l, s)
				}
				if d.Workers()[0].Joined == before {
					t.Errorf("%s: no packets were joined in %d attempts", s.Name, attempts)
				}
			}
		})
	}
}

func mergedUplink(t testing.TB, l livetest.Lab, s livetest.Segments) {
	t.Helper()
	var frames [][]byte
	for _, p := range s.Packets {
		frames = append(frames, gpdu(t, livetest.Octets(t, p)))
	}
	_, err := l.N3.Send(frames)
	livetest.Must(t, err)
	for i, p := range s.Packets {
		got := livetest.Next(t, l.N6)
		if len(got) < 14 || !slices.Equal(got[14:], identified(livetest.Aged(t, p), got)) {
			t.Errorf("%s: packet %d left as\n%x, want\n%x", s.Name, i, got, livetest.Aged(t, p))
		}
	}
}

// identified gives a packet with DF the identification of another: it means nothing.
func identified(p, like []byte) []byte {
	if p[6]&0x40 != 0 && len(like) >= 34 {
		copy(p[4:6], like[18:20])
		checksum.Put(p[10:], 0)
		checksum.Put(p[10:], checksum.Finish(checksum.Sum(p[:20])))
	}
	return p
}

// gpdu is a T-PDU in a frame from the gNB, in the tunnel of the first session.
func gpdu(t testing.TB, tpdu []byte) []byte {
	t.Helper()
	return livetest.FromGNB(t, gtpu.AppendGPDU(nil, 1, nil, tpdu))
}

// TestCutDownlink: what the device hands over as one leaves as packets.
func TestCutDownlink(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Uncut(t, "n3")
			d := openHere(t, c)
			livetest.CutDownlink(t, d)
			joined := uint64(0)
			for _, w := range d.Workers() {
				joined += w.Joined
			}
			if joined == 0 {
				t.Error("the kernel cut all packets itself")
			}
		})
	}
}
