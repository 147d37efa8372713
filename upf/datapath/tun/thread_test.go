package tun

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// TestThread: what the kernel's thread gets, and what goes on inside its write after that, leaves
// in order and as it was written.
func TestThread(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			d := openHere(t, c)
			l := livetest.NewLab(t, d)
			q := d.device.queues[0]
			if q.limit == nil {
				t.Fatal("the device has no thread of the kernel")
			}
			const first, all = 150, 200
			var m offload.Merger
			for i := range first {
				livetest.Must(t, q.put(numbered(i)))
			}
			for end := time.Now().Add(10 * time.Second); !q.drain(); {
				if time.Now().After(end) {
					t.Fatal("the thread has not taken all")
				}
			}
			for i := first; i < all; i++ {
				m.Add(numbered(i))
			}
			runs := m.Runs()
			for i := range runs {
				livetest.Must(t, q.write(&runs[i]))
			}
			for i := range all {
				want := numbered(i)
				checksum.DecrementTTL(want)
				if got := livetest.Next(t, l.N6); len(got) < 14 || string(got[14:]) != string(want) {
					t.Fatalf("packet %d left as\n%x, want\n%x", i, got, want)
				}
			}
		})
	}
}

// TestWithoutThread: where there can be none, packets go on inside their write.
func TestWithoutThread(t *testing.T) {
	for _, name := range []string{"tun", "tap"} {
		t.Run(name, func(t *testing.T) {
			c := kinds[name]
			c.threadless = true
			livetest.Network(t)
			d := openHere(t, c)
			if got := d.Remarks(); len(got) != 1 || !errors.Is(got[0], errors.ErrUnsupported) {
				t.Errorf("the remarks are %v", got)
			}
			livetest.Forwarding(t, d)
		})
	}
}

// numbered is a UE's packet to the data network, without DF, with a number for its
// identification. There is room before it.
func numbered(i int) []byte {
	p := datagram(1, 0)
	binary.BigEndian.PutUint16(p[4:], uint16(i*7)) // no row that could be put together
	p[6] = 0
	copy(p[16:], []byte{198, 51, 100, 2})
	checksum.Put(p[10:], 0)
	checksum.Put(p[10:], checksum.Finish(checksum.Sum(p[:20])))
	return append(make([]byte, room, room+len(p)), p...)[room:]
}
