package livetest

import (
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// LinkMTU changes N3's MTU while a datapath runs: what does not fit is no longer sent, and what fits
// is, also what did not fit before the datapath was opened.
func LinkMTU(t *testing.T, d datapath.Datapath) {
	Uncut(t, "n3") // a frame is a packet
	l := NewLab(t, d)
	byName := map[string]datapathtest.Frame{}
	for _, f := range datapathtest.Frames(t) {
		byName[f.Name] = f
	}
	fits, big := byName["n6 largest for the mtu"], byName["n6 too big, df"]
	send := func(f datapathtest.Frame) []byte {
		_, err := l.N6.Send([][]byte{f.Input(t)})
		Must(t, err)
		return Next(t, l.N3)
	}
	if got := send(fits); !slices.Equal(blind(got, true), blind(fits.Output(t), true)) {
		t.Fatalf("before, sent\n%x", got)
	}
	SetMTU(t, 1400, "n3")
	before := tooBig(t, d)
	until(t, "packets that do not fit N3 any more are sent on", func() bool {
		if sentByKernel(d) { // it fragments what does not fit the device
			got := send(fits)
			return got != nil && len(got) <= 14+1400
		}
		_, err := l.N6.Send([][]byte{whole(fits.Input(t))})
		Must(t, err)
		return tooBig(t, d) > before
	})
	SetMTU(t, 1600, "n3p", "n6p", "n3", "n6")
	for l.N3.Next() != nil { // what was sent before
		l.N3.Release()
	}
	until(t, "a packet that fits N3 now is not sent on", func() bool {
		got := send(big)
		return len(got) == 14+44+tpduLength(big.Input(t))
	})
}

// whole is a frame whose packet must not be fragmented.
func whole(frame []byte) []byte {
	const ip, flags, sum, end, df = 14, 20, 24, 34, 0x40
	frame[flags] |= df
	checksum.Put(frame[sum:], 0)
	checksum.Put(frame[sum:], checksum.Finish(checksum.Sum(frame[ip:end])))
	return frame
}

func tpduLength(frame []byte) int { return int(frame[16])<<8 | int(frame[17]) }

// until waits for something that is done again and again.
func until(t *testing.T, failed string, done func() bool) {
	t.Helper()
	if !wait.Until(30*time.Second, 50*time.Millisecond, done) {
		t.Fatal(failed)
	}
}
