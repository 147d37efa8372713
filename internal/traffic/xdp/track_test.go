package xdp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cilium/ebpf"
)

// arrival is struct arrival of kit.c.
type arrival struct {
	Seq, Transit, Trial            uint64
	Verdict, Extent, Before, After uint64
}

const unknown = math.MaxUint64

func (k *kitObjects) arrive(t *testing.T, seq, transit uint64, trial uint16) (a arrival) {
	t.Helper()
	in, err := binary.Append(nil, binary.LittleEndian, arrival{Seq: seq, Transit: transit, Trial: uint64(trial)})
	if err != nil {
		t.Fatal(err)
	}
	o := ebpf.RunOptions{Data: in, DataOut: make([]byte, len(in)+64), Repeat: 1}
	if _, err := k.Arrive.Run(&o); err != nil {
		t.Fatal(err)
	}
	if err := binary.Read(bytes.NewReader(o.DataOut), binary.LittleEndian, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// history is the plain model of track.h: every arrival of a stream, in order.
type history struct {
	sequences
	order    []uint64          // numbers, without copies
	transits map[uint64]uint64 // by number
	inTime   map[uint64]bool   // came when still in the window
	ends     []uint64          // of the jumps of the sequence
}

func newHistory() *history {
	return &history{sequences: sequences{seen: map[uint64]bool{}}, transits: map[uint64]uint64{}, inTime: map[uint64]bool{}}
}

func (h *history) arrive(seq, transit uint64) arrival {
	next := h.next
	a := arrival{Verdict: h.verdict(seq), Extent: unknown, Before: unknown, After: unknown}
	if a.Verdict == duplicate {
		return a
	}
	if a.Verdict == reordered {
		a.Extent = h.extent(seq)
		a.After = h.variation(seq+1, transit)
	} else if seq > next {
		h.ends = append(h.ends, seq)
	}
	a.Before = h.variation(seq-1, transit)
	h.order = append(h.order, seq)
	h.transits[seq] = transit
	if h.next-seq <= windowBits {
		h.inTime[seq] = true
	}
	return a
}

// gapsKept and transitsKept are TRACK_GAPS and TRACK_TRANSITS.
const gapsKept, transitsKept = 16, 16

// extent is RFC 4737 clause 4.2.2: i - j, j the first arrival with a higher number.
// 0: too long or too many jumps ago.
func (h *history) extent(seq uint64) uint64 {
	if h.next-seq > windowBits {
		return 0
	}
	since := 0
	for _, end := range h.ends {
		if end > seq {
			since++
		}
	}
	if since == gapsKept && len(h.ends) > gapsKept || since > gapsKept {
		return 0
	}
	for j, other := range h.order {
		if other > seq {
			return uint64(len(h.order) - j)
		}
	}
	return unknown
}

func (h *history) variation(other, transit uint64) uint64 {
	before, arrived := h.transits[other]
	if !arrived || h.next-other > transitsKept || max(before, transit) >= math.MaxUint32 {
		return unknown
	}
	return max(before, transit) - min(before, transit)
}

// runs are the losses in a row when so many were sent.
func (h *history) runs(sent uint64) map[uint64]uint64 {
	runs := map[uint64]uint64{}
	var run uint64
	for seq := range sent + 1 {
		if seq < sent && !h.inTime[seq] {
			run++
			continue
		}
		if run > 0 {
			runs[run]++
		}
		run = 0
	}
	return runs
}

// network makes up what arrives: it loses, doubles, holds back and stands still.
type network struct {
	*rand.Rand
	loss, copies, late float64
	held               []uint64
	seq                uint64
}

func (n *network) next() uint64 {
	for {
		if len(n.held) > 0 && n.Float64() < 0.15 {
			i := n.IntN(len(n.held))
			seq := n.held[i]
			n.held = append(n.held[:i], n.held[i+1:]...)
			return seq
		}
		seq := n.seq
		n.seq++
		switch {
		case n.Float64() < n.loss:
			if n.IntN(20) == 0 {
				n.seq += uint64(n.IntN(1 << n.IntN(13))) // in a row
			}
			continue
		case n.Float64() < n.copies:
			n.held = append(n.held, seq)
		case n.Float64() < n.late:
			n.held = append(n.held, seq)
			continue
		}
		return seq
	}
}

// The program finds of any stream what somebody finds who remembers everything.
func TestTrackAgainstModel(t *testing.T) {
	k := openKit(t)
	r := rand.New(rand.NewPCG(21, 22))
	for trial := uint16(1); trial <= 24; trial++ {
		n := &network{Rand: r, loss: r.Float64() * r.Float64() * 0.5, copies: r.Float64() * 0.1, late: r.Float64() * 0.2}
		if trial%4 == 0 {
			n.loss, n.copies, n.late = 0, 0, 0
		}
		t.Run(fmt.Sprintf("loss %.2f, copies %.2f, late %.2f", n.loss, n.copies, n.late), func(t *testing.T) { k.follow(t, n, trial) })
	}
}

func (k *kitObjects) follow(t *testing.T, n *network, trial uint16) {
	h := newHistory()
	defer clearPerCPU(k.ShortRuns)
	defer clearHash(k.LongRuns)
	for i := range 1500 {
		seq, transit := n.next(), 500+uint64(n.IntN(1<<n.IntN(20)))
		if n.IntN(200) == 0 {
			transit = math.MaxUint32 + uint64(n.IntN(10)) - 5
		}
		got, want := k.arrive(t, seq, transit, trial), h.arrive(seq, transit)
		want.Seq, want.Transit, want.Trial = seq, transit, uint64(trial)
		if got != want {
			t.Fatalf("arrival %d:\n got %+v\nwant %+v", i, got, want)
		}
	}
	k.checkRuns(t, h, n.seq)
}

// checkRuns reads the runs as the sink's are read, when so many were sent.
func (k *kitObjects) checkRuns(t *testing.T, h *history, sent uint64) {
	t.Helper()
	var track kitTrack
	if err := k.Stream.Get(&track); err != nil {
		t.Fatal(err)
	}
	got := map[uint64]uint64{}
	like := &sink{objects: sinkObjects{sinkMaps: sinkMaps{ShortRuns: k.ShortRuns, LongRuns: k.LongRuns}}}
	if err := like.shortRuns(got); err != nil {
		t.Fatal(err)
	}
	if err := like.longRuns(got); err != nil {
		t.Fatal(err)
	}
	as := sinkTrack(track)
	as.finish(sent, func(length uint64) { got[length]++ })
	if want := h.runs(sent); !maps.Equal(got, want) {
		t.Errorf("runs of lost packets:\n got %v\nwant %v", got, want)
	}
}

// A stream of which nothing arrived has lost all in one run.
func TestNothingArrivedIsOneRun(t *testing.T) {
	var runs []uint64
	(&sinkTrack{}).finish(70_000, func(n uint64) { runs = append(runs, n) })
	if len(runs) != 1 || runs[0] != 70_000 {
		t.Errorf("runs %v", runs)
	}
	(&sinkTrack{}).finish(0, func(n uint64) { t.Errorf("a run of %d of nothing", n) })
}
