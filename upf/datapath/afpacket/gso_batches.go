package afpacket

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath/forward"
)

// gsoBatch is frames to one gNB that leave as one, which the kernel cuts: one passage of the
// kernel's sending for up to 64.
type gsoBatch struct {
	offload.Batch
	frames []tpacket.Parts
	head   [forward.HeadMax]byte // the first frame's headers, when they are those of all
}

// gsoBatches are frames that leave by N3.
type gsoBatches struct {
	out   *exit
	all   []gsoBatch
	used  int
	runs  []tpacket.Run
	uncut bool // the kernel does not cut: nothing is joined
}

// outerBytes is what a frame has before its GTP-U header where it can be joined to others:
// Ethernet, IPv4, UDP.
const outerBytes = forward.EthernetBytes + 20 + 8

// add queues a frame that goes into a tunnel. Of one gNB nothing overtakes.
func (t *gsoBatches) add(tunnel *forward.Tunnel, frame tpacket.Parts, join bool) {
	size, tos := len(frame.Head)-outerBytes+len(frame.Body), tunnel.TOS(frame.Body)
	join = join && !t.uncut && !tunnel.Peer6.IsValid() // over IPv6 each has a checksum already
	for i := t.used - 1; join && i >= 0; i-- {
		x := &t.all[i]
		if x.Peer != tunnel.Address() {
			continue
		}
		if string(x.frames[0].Head[:forward.EthernetBytes]) == string(frame.Head[:forward.EthernetBytes]) && x.Join(tos, size) {
			x.frames = append(x.frames, frame)
			return
		}
		break
	}
	x := t.next()
	x.Start(tunnel.Address(), tos, size)
	x.frames = append(x.frames[:0], frame)
}

// next is the memory of one batch more.
func (t *gsoBatches) next() *gsoBatch {
	if t.used == len(t.all) {
		t.all = append(t.all, gsoBatch{frames: make([]tpacket.Parts, 0, offload.BatchMax)})
		t.runs = append(t.runs, tpacket.Run{Pieces: make([][]byte, 0, tpacket.PiecesMax)})
	}
	t.used++
	return &t.all[t.used-1]
}

// flush sends what is queued, and gives how many frames there were, and how many of them were
// joined, and the kernel did not take.
func (t *gsoBatches) flush() (sent, joined, lost uint64) {
	for i := range t.used {
		n := uint64(len(t.all[i].frames))
		if sent += n; n > 1 {
			joined += n
		}
		t.all[i].lay(&t.runs[i])
	}
	lost = t.out.send(t.runs[:t.used], func(i int, err error) uint64 { return t.refused(&t.all[i], err) })
	t.used = 0
	return sent, joined, lost
}

// refused is for a batch that the kernel did not take: one that it cannot cut is sent frame by
// frame, and so are those to come.
func (t *gsoBatches) refused(x *gsoBatch, err error) (lost uint64) {
	if len(x.frames) == 1 || !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EIO) {
		return uint64(len(x.frames))
	}
	t.uncut = true
	for _, f := range x.frames {
		run := [1]tpacket.Run{{Pieces: [][]byte{f.Head, f.Body}}}
		lost += t.out.send(run[:], func(int, error) uint64 { return 1 })
	}
	return lost
}

// lay makes a run of the batch.
func (x *gsoBatch) lay(r *tpacket.Run) {
	first := x.frames[0]
	r.Offload, r.Pieces = [tpacket.OffloadBytes]byte{}, append(r.Pieces[:0], first.Head, first.Body)
	if len(x.frames) == 1 {
		return
	}
	r.Pieces[0] = x.head[:copy(x.head[:], first.Head)]
	offload.LeadUDP(r.Pieces[0][forward.EthernetBytes:], x.Octets)
	h := offload.Header{Flags: offload.NeedsChecksum, GSO: offload.GSOUDP, HeaderBytes: outerBytes,
		SegmentBytes: uint16(x.Size), SumFrom: outerBytes - 8, SumAt: 6}
	h.Put(r.Offload[:])
	for _, f := range x.frames[1:] {
		r.Pieces = append(r.Pieces, f.Head[outerBytes:], f.Body)
	}
}
