package xdp

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/receive"
	"github.com/upflab/upflab/internal/traffic/window"
)

// windowTwins are a sink and the receiver in user space, which count by windows.
type windowTwins struct {
	sink  *sink
	twin  *receive.Receiver
	frame []byte
	trial uint16
	seq   uint64
}

// TestReceiverIsTheSinksTwinInWindows: packets of any window, early and late, are
// counted in the same places, whenever windows are folded.
func TestReceiverIsTheSinksTwinInWindows(t *testing.T) {
	var cases []sinkCase
	readJSON(t, "testdata/sink.json", &cases)
	f := namedFlow(t, "uplink")
	w := windowTwins{sink: openTestSink(t, f), twin: receive.New(f), trial: testTrial}
	for _, c := range cases {
		if c.Flow == "uplink" && w.frame == nil {
			w.frame = unhex(t, c.Frames[0])
		}
	}
	for _, part := range []traffic.Windowed{w.sink, w.twin} {
		if can, err := part.Windows(true); !can || err != nil {
			t.Fatal(can, err)
		}
	}
	for seed := range uint64(4) {
		w.trial += 2
		w.seq = 0
		if err := w.sink.Begin(w.trial); err != nil {
			t.Fatal(err)
		}
		w.twin.Begin(w.trial)
		w.run(t, rand.New(rand.NewPCG(seed, 3)))
	}
}

// run sends packets that are due about now, or much earlier or later, and folds windows
// some time after they have ended. Now and then nothing is folded for long.
func (w *windowTwins) run(t *testing.T, r *rand.Rand) {
	first := uint64(1) << 30
	now, next := first, first
	for stuck := r.IntN(1000); now < first+2000; stuck++ {
		now += uint64(r.IntN(2))
		id := now - uint64(r.IntN(1<<r.IntN(10)))
		w.receive(t, max(first, id)<<window.Bits+uint64(r.IntN(window.Width)))
		for lag := uint64(50); next+lag < now && stuck%2000 < 1000; next++ {
			w.fold(t, next, r.IntN(3) > 0)
		}
	}
	for ; next <= now; next++ {
		w.fold(t, next, r.IntN(3) > 0)
	}
	all, err := w.sink.totals()
	if err != nil {
		t.Fatal(err)
	}
	a, rest := w.sink.Counted()
	b, twinsRest := w.twin.Counted()
	if x, y := kept(&a), kept(&b); x != y {
		t.Errorf("of %d packets the sink keeps\n%s, the receiver\n%s", all.Rx, x, y)
	}
	if x, y := kept(&rest), kept(&twinsRest); x != y {
		t.Errorf("of %d packets the sink excludes\n%s, the receiver\n%s", all.Rx, x, y)
	}
	if excluded := rest.Received + all.Uncounted; a.Received+excluded != all.Rx || a.Received == 0 || all.Uncounted == 0 {
		t.Errorf("%d packets kept, %d excluded, %d of them in no window; %d in all", a.Received, excluded, all.Uncounted, all.Rx)
	}
}

// fold ends a window: what is not complete is excluded.
func (w *windowTwins) fold(t *testing.T, id uint64, keep bool) {
	t.Helper()
	a, b := w.sink.Complete(id), w.twin.Complete(id)
	if a != b {
		t.Fatalf("window %d is complete: the sink says %v, the receiver %v", id, a, b)
	}
	w.sink.Fold(id, keep && a)
	w.twin.Fold(id, keep && a)
}

func (w *windowTwins) receive(t *testing.T, due uint64) {
	const udp, signature = 34, 42
	b := slices.Clone(w.frame)
	binary.LittleEndian.PutUint16(b[signature+2:], w.trial)
	binary.LittleEndian.PutUint64(b[signature+8:], w.seq)
	binary.LittleEndian.PutUint64(b[signature+16:], due)
	w.seq++
	binary.BigEndian.PutUint16(b[udp+6:], 0)
	binary.BigEndian.PutUint16(b[udp+6:], udpFault(b[14:])) // over a checksum of 0, what is missing
	w.sink.receive(t, b)
	w.twin.Frame(b, due+5000)
}

// kept is all that does not depend on when frames came.
func kept(o *traffic.FlowOutcome) string {
	return fmt.Sprintf("%d in %d bytes, %d and %d latencies, %d estimates of jitter", o.Received, o.ReceivedBytes,
		o.Latency.Count, o.Actual.Count, o.Jitter.Count)
}
