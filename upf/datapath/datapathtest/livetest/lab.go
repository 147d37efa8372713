package livetest

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// Lab is what is behind N3 and N6, with the sessions of datapathtest.
type Lab struct{ N3, N6 *tpacket.Port }

// NewLab gives the datapath the sessions.
func NewLab(t testing.TB, d datapath.Datapath) (l Lab) {
	t.Helper()
	ApplyFrames(t, d)
	for name, port := range map[string]**tpacket.Port{"n3p": &l.N3, "n6p": &l.N6} {
		p, err := tpacket.Open(tpacket.Config{Interface: name, MaxFrame: 65000, Frames: 256})
		Must(t, err)
		t.Cleanup(func() { p.Close() })
		*port = p
	}
	return l
}

// blind takes out of a frame with a tunnel what the kernel chooses: the outer
// identification, and the checksums.
func blind(frame []byte, tunnel bool) []byte {
	if tunnel && len(frame) > 42 {
		for _, i := range []int{18, 19, 24, 25, 40, 41} {
			frame[i] = 0
		}
	}
	return frame
}

// Next is the next IP frame at a port, but for IPv6's multicast, nil when none comes.
func Next(t testing.TB, p *tpacket.Port) []byte {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		f := p.Next()
		if f == nil {
			Must(t, tpacket.Wait(10*time.Millisecond, p))
			continue
		}
		got := slices.Clone(f)
		p.Release()
		if len(got) < 34 {
			continue
		}
		if kind := binary.BigEndian.Uint16(got[12:]); kind == 0x0800 || kind == 0x86dd && len(got) >= 54 && got[38] != 0xff {
			return got
		}
	}
	return nil
}

// FromGNB is a GTP-U message in a frame.
func FromGNB(t testing.TB, message []byte) []byte {
	t.Helper()
	const headers = 14 + 20 + 8
	b := append(slices.Clone(datapathtest.Frames(t)[0].Input(t)[:headers]), message...)
	binary.BigEndian.PutUint16(b[16:], uint16(len(b)-14))
	binary.BigEndian.PutUint16(b[38:], uint16(len(b)-34))
	binary.BigEndian.PutUint16(b[40:], 0)
	checksum.Put(b[24:], 0)
	checksum.Put(b[24:], checksum.Finish(checksum.Sum(b[14:34])))
	return b
}
