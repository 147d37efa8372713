package afpacket

import (
	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/internal/socket/tpacket"
)

// flows are frames that leave by N6. Those of a flow leave as one, which the kernel cuts.
type flows struct {
	out    *exit
	merger offload.Merger
	heads  [][]byte        // the Ethernet headers of the merger's runs
	single []tpacket.Parts // frames that are not merged
	runs   []tpacket.Run
}

// add queues a frame, whose body is an IP packet if it may be merged.
func (x *flows) add(frame tpacket.Parts, merge bool) {
	if !merge {
		x.single = append(x.single, frame)
		return
	}
	if x.merger.Add(frame.Body) {
		x.heads = append(x.heads, frame.Head)
	}
}

// flush sends what is queued, and gives how many frames there were, and how many of them were
// joined, and the kernel did not take.
func (x *flows) flush() (sent, joined, lost uint64) {
	merged := x.merger.Runs()
	x.grow(len(merged) + len(x.single))
	for i := range merged {
		n := uint64(merged[i].Packets())
		if sent += n; n > 1 {
			joined += n
		}
		r := &x.runs[i]
		r.Pieces = append(append(r.Pieces[:0], x.heads[i]), merged[i].Parts...)
		merged[i].Header(len(x.heads[i])).Put(r.Offload[:])
	}
	for i, f := range x.single {
		r := &x.runs[len(merged)+i]
		r.Offload, r.Pieces = [tpacket.OffloadBytes]byte{}, append(r.Pieces[:0], f.Head, f.Body)
	}
	sent += uint64(len(x.single))
	lost = x.out.send(x.runs[:len(merged)+len(x.single)], func(i int, _ error) uint64 {
		if i < len(merged) {
			return uint64(merged[i].Packets())
		}
		return 1
	})
	x.merger.Reset()
	x.heads, x.single = x.heads[:0], x.single[:0]
	return sent, joined, lost
}

func (x *flows) grow(n int) {
	for len(x.runs) < n {
		x.runs = append(x.runs, tpacket.Run{Pieces: make([][]byte, 0, 1+offload.MaxParts)})
	}
}
