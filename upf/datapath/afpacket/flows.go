package afpacket

import (
	rings "github.com/upflab/upflab/afpacket"
	"github.com/upflab/upflab/upf/datapath/offload"
)

// flows are frames that leave by N6. Those of a flow leave as one, which the kernel cuts.
type flows struct {
	out    *rings.RunSender
	merger offload.Merger
	heads  [][]byte      // the Ethernet headers of the merger's runs
	single []rings.Parts // frames that are not merged
	runs   []rings.Run
}

// add queues a frame, whose body is an IP packet if it may be merged.
func (x *flows) add(frame rings.Parts, merge bool) {
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
		r.Offload, r.Pieces = [rings.OffloadBytes]byte{}, append(r.Pieces[:0], f.Head, f.Body)
	}
	sent += uint64(len(x.single))
	lost = sendAll(x.out, x.runs[:len(merged)+len(x.single)], func(i int, _ error) uint64 {
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
		x.runs = append(x.runs, rings.Run{Pieces: make([][]byte, 0, 1+offload.MaxParts)})
	}
}

// sendAll sends runs in order. refused is asked for each that the kernel does not take; lost
// is the sum of what it answers.
func sendAll(out *rings.RunSender, runs []rings.Run, refused func(i int, err error) uint64) (lost uint64) {
	for i := 0; i < len(runs); {
		n, err := out.Send(runs[i:])
		if i += n; err == nil {
			continue
		}
		lost += refused(i, err)
		i++
	}
	return lost
}
