package xdp

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

// kit holds the programs of kit.c: the functions of the C headers.
func openKit(t *testing.T) *kitObjects {
	t.Helper()
	sitetest.Privileged(t)
	var k kitObjects
	if err := loadKitObjects(&k, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return &k
}

// ask gives a program a value and returns its answer.
func ask(t *testing.T, p *ebpf.Program, value uint64, trial uint16) uint64 {
	t.Helper()
	in := binary.LittleEndian.AppendUint64(nil, value)
	in = binary.LittleEndian.AppendUint64(in, uint64(trial))
	in = binary.LittleEndian.AppendUint64(in, math.MaxUint64)
	out := make([]byte, len(in)+64)
	o := ebpf.RunOptions{Data: in, DataOut: out, Repeat: 1}
	if _, err := p.Run(&o); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(o.DataOut[16:])
}

// sequences is the plain model of track.h: it remembers everything.
type sequences struct {
	next uint64
	seen map[uint64]bool
}

// The verdicts of track.h.
const (
	inOrder = iota
	reordered
	duplicate
)

const windowBits = 1024 - 64 // TRACK_WINDOW - 64

func (m *sequences) verdict(seq uint64) uint64 {
	defer func() { m.seen[seq] = true }()
	switch {
	case seq >= m.next:
		m.next = seq + 1
		return inOrder
	case m.next-seq > windowBits || !m.seen[seq]:
		return reordered
	}
	return duplicate
}

func TestSequences(t *testing.T) {
	k := openKit(t)
	for _, c := range []struct {
		why  string
		seqs []uint64
		want []uint64
	}{
		{"in order", []uint64{0, 1, 2}, []uint64{inOrder, inOrder, inOrder}},
		{"twice", []uint64{0, 0}, []uint64{inOrder, duplicate}},
		{"swapped", []uint64{1, 0, 2}, []uint64{inOrder, reordered, inOrder}},
		{"late, then again", []uint64{5, 3, 3}, []uint64{inOrder, reordered, duplicate}},
		{"a gap to the window's last word, then into it", []uint64{0, 1023, 100, 100}, []uint64{inOrder, inOrder, reordered, duplicate}},
		{"the first after a gap over the window", []uint64{0, 1024, 64}, []uint64{inOrder, inOrder, reordered}},
		{"a gap far over the window, then into it", []uint64{7, 1 << 40, 1<<40 - 900, 1<<40 - 900},
			[]uint64{inOrder, inOrder, reordered, duplicate}},
		{"as far back as copies are known", []uint64{0, 959, 0}, []uint64{inOrder, inOrder, duplicate}},
		{"one further: a copy cannot be told", []uint64{0, 960, 0}, []uint64{inOrder, inOrder, reordered}},
		{"far back", []uint64{100_000, 5, 5}, []uint64{inOrder, reordered, reordered}},
	} {
		for i, seq := range c.seqs {
			if got := ask(t, k.Sequence, seq, trialOf(c.why)); got != c.want[i] {
				t.Errorf("%s: number %d, %d, is %d, want %d", c.why, i, seq, got, c.want[i])
			}
		}
	}
}

// trialOf gives each case a trial of its own.
func trialOf(why string) uint16 {
	var h uint16 = 1
	for _, c := range why {
		h = h*31 + uint16(c)
	}
	return h
}

func TestSequencesAgainstModel(t *testing.T) {
	k := openKit(t)
	r := rand.New(rand.NewPCG(9, 10))
	for trial := uint16(1); trial <= 20; trial++ {
		m := sequences{seen: map[uint64]bool{}}
		at := uint64(r.IntN(3000))
		for range 400 {
			seq := at
			switch r.IntN(6) {
			case 0: // back
				seq -= min(seq, uint64(r.IntN(1200)))
			case 1: // a gap
				at += uint64(r.IntN(1 << r.IntN(12)))
			default:
				at++
			}
			if got, want := ask(t, k.Sequence, seq, trial), m.verdict(seq); got != want {
				t.Fatalf("trial %d, number %d with %d next: %d, want %d", trial, seq, m.next, got, want)
			}
		}
	}
}

// jitter6_4_1 is RFC 3550 clause 6.4.1: J += (|D| - J) / 16, in ns.
func TestJitter(t *testing.T) {
	k := openKit(t)
	r := rand.New(rand.NewPCG(11, 12))
	var model float64
	var before uint64
	for i := range 2000 {
		transit := 700 + uint64(r.IntN(1<<(i%20)))
		if i > 0 {
			d := math.Abs(float64(transit) - float64(before))
			model += (d - model) / 16
		}
		before = transit
		got := float64(ask(t, k.Jitter, transit, 1)) / 16
		if math.Abs(got-model) > 1 {
			t.Fatalf("after %d packets the jitter is %.2f ns, want %.2f and at most 1 ns off", i+1, got, model)
		}
	}
}
