package livetest

import (
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// Addressed: of a frame in each direction the datapath forwards the one to the interface's own MAC address, and
// none to another one, to all or to many (RFC 1812 clause 5.3.4).
func Addressed(t *testing.T, d datapath.Datapath) {
	l := NewLab(t, d)
	for _, way := range []struct {
		name    string
		in, out *tpacket.Port
	}{{"n3 psc", l.N3, l.N6}, {"n6 qfi", l.N6, l.N3}} {
		frames := datapathtest.Frames(t)
		own := frames[slices.IndexFunc(frames, func(f datapathtest.Frame) bool { return f.Name == way.name })].Input(t)
		for _, mac := range [][]byte{{2, 0, 0, 0, 0, 0x99}, {255, 255, 255, 255, 255, 255}, {1, 0, 0x5e, 0, 0, 1}, {0x33, 0x33, 0, 0, 0, 1}} {
			other := slices.Clone(own)
			copy(other, mac)
			_, err := way.in.Send([][]byte{other})
			Must(t, err)
			if f := soon(t, way.out); f != nil {
				t.Errorf("%s: a frame to %x left as %x", way.name, mac, f)
			}
		}
		_, err := way.in.Send([][]byte{own})
		Must(t, err)
		if Next(t, way.out) == nil {
			t.Errorf("%s: the frame to the interface was not forwarded", way.name)
		}
	}
	n, err := d.Counters()
	Must(t, err)
	if n.Uplink.Packets != 1 || n.Downlink.Packets != 1 || len(n.Drops) > 0 {
		t.Errorf("counters %+v, want one packet each way and no drop", n)
	}
}

// soon is the next frame with a UE's packet, nil when none comes at once.
func soon(t *testing.T, p *tpacket.Port) (got []byte) {
	wait.Until(200*time.Millisecond, 10*time.Millisecond, func() bool {
		for f := p.Next(); f != nil && got == nil; f = p.Next() {
			if len(f) >= 34 && f[12] == 8 && f[13] == 0 {
				got = slices.Clone(f)
			}
			p.Release()
		}
		return got != nil
	})
	return got
}
