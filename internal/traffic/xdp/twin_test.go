package xdp

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/receive"
)

// The receiver in user space counts what the sink counts: the frames of
// testdata/sink.json, these with octets changed and cut, and signed ones in any
// order, go through both.
func TestReceiverIsTheSinksTwin(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	var cases []sinkCase
	readJSON(t, "testdata/sink.json", &cases)
	frames := map[string][][]byte{}
	for _, c := range cases {
		for _, text := range c.Frames {
			frames[c.Flow] = append(frames[c.Flow], unhex(t, text))
		}
	}
	for name, list := range frames {
		t.Run(name, func(t *testing.T) {
			f := namedFlow(t, name)
			for _, several := range []bool{false, true} {
				s, twin := openSinkOf(t, f, several), receive.New(f)
				r := rand.New(rand.NewPCG(11, 12))
				for _, trial := range []uint16{testTrial, testTrial + 2} { // the cases' own, and none
					compareTwins(t, s, twin, trial, mixture(r, list))
				}
				if name == "uplink" {
					compareTwins(t, s, twin, testTrial+4, shuffled(r, list[0], testTrial+4))
				}
			}
		})
	}
}

// mixture is the frames and many that chance has damaged.
func mixture(r *rand.Rand, list [][]byte) [][]byte {
	all := slices.Clone(list)
	for range 3000 {
		b := slices.Clone(list[r.IntN(len(list))])
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
		}
		if r.IntN(4) == 0 {
			b = b[:max(14, r.IntN(len(b)))]
		}
		all = append(all, b)
	}
	return all
}

// shuffled is a stream with gaps, copies and reordering.
func shuffled(r *rand.Rand, plain []byte, trial uint16) (all [][]byte) {
	var at uint64
	for range 3000 {
		seq := at
		switch r.IntN(8) {
		case 0:
			seq -= min(seq, uint64(1+r.IntN(1<<r.IntN(10))))
		case 1:
			at += uint64(r.IntN(1 << r.IntN(12)))
		default:
			at++
		}
		all = append(all, numbered(plain, trial, seq))
	}
	return all
}

// numbered is a plain frame with another number, of a trial.
func numbered(plain []byte, trial uint16, seq uint64) []byte {
	const udp, signature = 34, 42
	b := slices.Clone(plain)
	binary.LittleEndian.PutUint16(b[signature+2:], trial)
	binary.LittleEndian.PutUint64(b[signature+8:], seq)
	binary.BigEndian.PutUint16(b[udp+6:], 0)
	binary.BigEndian.PutUint16(b[udp+6:], udpFault(b[14:])) // over a checksum of 0, what is missing
	return b
}

func compareTwins(t *testing.T, s *sink, twin *receive.Receiver, trial uint16, frames [][]byte) {
	t.Helper()
	if err := s.Begin(trial); err != nil {
		t.Fatal(err)
	}
	twin.Begin(trial)
	const later = 5e6
	for _, b := range frames {
		s.receive(t, b)
		twin.Frame(b, later)
	}
	sent := []uint64{20, 0, 5}
	o, err := s.Outcome(sent)
	if err != nil {
		t.Fatal(err)
	}
	p := twin.Outcome(sent)
	if a, b := summary(&o), summary(&p); a != b {
		t.Errorf("trial %d: the sink counts\n%s\nthe receiver\n%s", trial, a, b)
	}
}

// summary is all that does not depend on when frames came. (The sink has no delay
// variation here: by its clock the frames were sent when the machine started.)
func summary(o *traffic.FlowOutcome) string {
	return fmt.Sprintf("received %d in %d bytes, %d duplicates, %d reordered (extents %d, in all %d to %d, %d "+
		"unknown), %d foreign; wrong %v; runs %v; %d latencies",
		o.Received, o.ReceivedBytes, o.Duplicates, o.Reordered, o.Extents.Count, o.Extents.Sum, o.Extents.Max,
		o.ExtentUnknown, o.Foreign, o.Wrong,
		o.LossRuns, o.Latency.Count)
}
