package livetest

import (
	"runtime"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/upf/datapath"
)

// attempts are made until packets have travelled as one: the worker may be quicker than
// they come.
const attempts = 50

// MergedUplink gives a datapath packets of a flow, as it may hand them to the kernel as one:
// they leave as they came. joined is how many travelled as one so far. N6 is to be Uncut.
func MergedUplink(t *testing.T, d datapath.Datapath, joined func() uint64) {
	l := NewLab(t, d)
	for _, s := range SegmentsOf(t, false) {
		before := joined()
		for try := 0; try < attempts && joined() == before; try++ {
			mergedUplink(t, l, s, 4*try)
		}
		if joined() == before {
			t.Errorf("%s: no packets were joined in %d attempts", s.Name, attempts)
		}
	}
}

// mergedUplink sends the packets behind messages of a version that the UPF drops, in one call that
// the UPF's worker does not interrupt: while it is busy with them, the packets come to lie side by side.
func mergedUplink(t testing.TB, l Lab, s Segments, dropped int) {
	t.Helper()
	runtime.LockOSThread() // and never unlocked: the thread goes with the test
	threads.GoFirst()
	var frames [][]byte
	for range dropped {
		frames = append(frames, FromGNB(t, []byte{0, 255, 0, 0, 0, 0, 0, 1}))
	}
	for _, p := range s.Packets {
		frames = append(frames, FromGNB(t, gtpu.AppendGPDU(nil, 1, nil, Octets(t, p)))) // in the first session's tunnel
	}
	_, err := l.N3.Send(frames)
	Must(t, err)
	for i, p := range s.Packets {
		got := Next(t, l.N6)
		if len(got) < 14 || !slices.Equal(got[14:], identified(Aged(t, p), got)) {
			t.Errorf("%s: packet %d left as\n%x, want\n%x", s.Name, i, got, Aged(t, p))
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
