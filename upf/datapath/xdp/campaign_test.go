package xdp

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// A campaign is a long run with its figures printed:
//
//	go test ./upf/datapath/xdp -run TestDifferentialCampaign -v -campaign 10000000 -timeout 24h
var (
	campaignFrames = flag.Int("campaign", 20_000, "how many mutated frames the differential test tries")
	campaignSeed   = flag.Uint64("campaign-seed", 1, "what its mutations are drawn from")
)

// mutator makes frames out of a corpus.
type mutator struct {
	random *rand.Rand
	corpus []frame
	octets [][]byte
}

func newMutator(t testing.TB, seed uint64) *mutator {
	t.Helper()
	m := &mutator{random: rand.New(rand.NewPCG(seed, 0)), corpus: readFrames(t)}
	for _, c := range m.corpus {
		m.octets = append(m.octets, octets(t, c.Frame))
	}
	return m
}

// The longest frame that a test run takes, and the shortest.
const (
	longestFrame  = 3000
	shortestFrame = 14
)

// next is a frame of the corpus with one to four mutations.
func (m *mutator) next() (n6 bool, b []byte) {
	i := m.random.IntN(len(m.corpus))
	n6, b = m.corpus[i].Program == "n6", slices.Clone(m.octets[i])
	for range 1 + m.random.IntN(4) {
		b = m.mutate(b)
	}
	if m.random.IntN(20) == 0 {
		n6 = !n6
	}
	for len(b) < shortestFrame {
		b = append(b, 0)
	}
	return n6, b[:min(len(b), longestFrame)]
}

func (m *mutator) mutate(b []byte) []byte {
	at := m.random.IntN(max(1, min(len(b)-4, 120)))
	if len(b) < at+4 {
		return append(b, make([]byte, 64)...)
	}
	switch m.random.IntN(8) {
	case 0:
		b[at] ^= 1 << m.random.IntN(8)
	case 1:
		b[at] = byte(m.random.Uint32())
	case 2: // a length, or another small number
		binary.BigEndian.PutUint16(b[at:], binary.BigEndian.Uint16(b[at:])+uint16(m.random.IntN(9))-4)
	case 3:
		binary.BigEndian.PutUint16(b[at:], m.pick16())
	case 4: // an address or a TEID of another place
		from := m.random.IntN(len(b) - 3)
		copy(b[at:at+4], b[from:from+4])
	case 5:
		return b[:m.random.IntN(len(b))]
	case 6:
		return append(b, make([]byte, m.random.IntN(64))...)
	case 7: // the end of another frame
		other := m.octets[m.random.IntN(len(m.octets))]
		return append(b[:at:at], other[min(at, len(other)):]...)
	}
	return b
}

func (m *mutator) pick16() uint16 {
	all := []uint16{0, 1, 7, 8, 20, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 2152, 8805, 0x0800, 0x86dd, 0x4500, 0x30ff, 0x34ff}
	return all[m.random.IntN(len(all))]
}

// TestDifferentialCampaign compares programs and forwarder on mutated frames.
func TestDifferentialCampaign(t *testing.T) {
	d, m := newDifferential(t), newMutator(t, *campaignSeed)
	start, last, outcomes := time.Now(), time.Now(), map[string]int{}
	for i := range *campaignFrames {
		n6, b := m.next()
		if diff := d.compare(t, n6, b); diff != "" {
			t.Fatalf("frame %d (n6 %v) %x:\n%s", i, n6, b, diff)
		}
		outcomes[d.last]++
		if time.Since(last) > time.Minute {
			last = time.Now()
			t.Logf("%d frames in %v", i+1, time.Since(start).Round(time.Second))
		}
	}
	t.Logf("%d frames in %v, seed %d, no difference: %v", *campaignFrames, time.Since(start).Round(time.Second), *campaignSeed, outcomes)
}

// FuzzDifferential is the same, guided by the coverage of the forwarder.
func FuzzDifferential(f *testing.F) {
	fuzztest.Brief(f)
	d := newDifferential(f)
	for _, c := range readFrames(f) {
		f.Add(c.Program == "n6", octets(f, c.Frame))
	}
	f.Fuzz(func(t *testing.T, n6 bool, b []byte) {
		if len(b) < shortestFrame || len(b) > longestFrame {
			return
		}
		if diff := d.compareHere(t, n6, b); diff != "" {
			t.Fatalf("n6 %v, %x:\n%s", n6, b, diff)
		}
	})
}
