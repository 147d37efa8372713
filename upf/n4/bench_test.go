package n4

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
)

// BenchmarkEstablish measures receive with a session of 2 PDRs, 2 FARs and a
// QER, each new; the datapath is the one in memory.
func BenchmarkEstablish(b *testing.B) {
	s := newBench(b, nil)
	s.play("setup")
	request := slices.Clone(s.pairs["establish-given"].request)
	ue := netip.MustParseAddr("10.45.0.2").As4()
	at := []int{indexOf(request, ue[:], 0)}
	at = append(at, indexOf(request, ue[:], at[0]+4))
	teid := indexOf(request, []byte{0, 21, 0, 9, 1}, 0) + 5
	n := uint32(0)
	for b.Loop() {
		n++
		binary.BigEndian.PutUint32(request[12:], n<<8)
		binary.BigEndian.PutUint32(request[teid:], n)
		for _, i := range at {
			binary.BigEndian.PutUint32(request[i:], 10<<24|n)
		}
		s.raw(request)
	}
	if got := s.Counters().Established; got != uint64(n) {
		b.Fatalf("%d of %d sessions established: %v", got, n, s.Counters().Rejected)
	}
}

func indexOf(b, sub []byte, from int) int {
	for i := from; i+len(sub) <= len(b); i++ {
		if string(b[i:i+len(sub)]) == string(sub) {
			return i
		}
	}
	return -1
}
