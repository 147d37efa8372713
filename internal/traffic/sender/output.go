package sender

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/traffic"
)

// Port hands frames to a port. The sending thread alone calls it, but for Close.
type Port interface {
	// Send takes frames in their order, Batch of them at most, and returns how many it
	// took. The slices are the caller's again when it returns; a Body always holds the same
	// octets. The error is why it did not take the next one, or nil where that is not known
	// yet and it took some: unix.ENOBUFS when the port dropped it, and unix.ENETDOWN when the port
	// is down, which count as sent;
	// unix.EAGAIN when too many frames are under way.
	Send(frames []tpacket.Parts) (int, error)
	// Drain waits until all frames have left, where the port takes them before they do.
	Drain() error
	Close() error
}

// Batch is how many frames are handed to a Port at once, at most.
const Batch = tpacket.Batch

// output is where one flow's frames leave. It belongs to the sending thread.
type output struct {
	name     string
	template *template
	port     Port
	next     int      // session whose turn it is
	seqs     []uint64 // of the sessions: the trial's next numbers

	heads    [Batch][HeadMax]byte
	frames   []tpacket.Parts // to be handed over
	sessions [Batch]int      // of each
	sizes    [Batch]int
	dues     [Batch]uint64 // ns
	windows  *windows      // that the flow's packets are counted in
	flow     int

	sent, bytes uint64 // of the trial
}

func newOutput(f *traffic.Flow, name string, port Port) *output {
	return &output{name: name, template: newTemplate(f), port: port, seqs: make([]uint64, len(f.Streams)),
		frames: make([]tpacket.Parts, 0, Batch)}
}

// turn goes to the next session.
func (o *output) turn() {
	if o.next++; o.next == len(o.seqs) {
		o.next = 0
	}
}

// begin forgets the last trial.
func (o *output) begin() {
	clear(o.seqs)
	o.sent, o.bytes = 0, 0
}

// put builds the frame of a shape of the session whose turn it is. The caller flushes when there are
// as many as it wants to hand over together, Batch at most.
func (o *output) put(kind int, sig signature.Signature, counts bool) {
	i := len(o.frames)
	session := o.next
	if counts {
		sig.Sequence = o.seqs[session]
		o.seqs[session]++
	}
	n := o.template.build(&o.heads[i], session, kind, sig)
	k := o.template.shapeOf(session, kind)
	o.sessions[i], o.sizes[i], o.dues[i] = session, k.bytes, sig.Intended
	o.frames = append(o.frames, tpacket.Parts{Head: o.heads[i][:n], Body: k.body})
}

// flush hands over what there is. A frame that the port refuses, because its
// receiver's ring is full, was sent and is counted there as dropped; one that a port
// refuses that is down was sent and lost on the link. While too many
// frames are under way it tries again, until stop says that it is enough: what is
// left then was not sent.
func (o *output) flush(counts bool, stop func() bool) error {
	defer func() { o.frames = o.frames[:0] }()
	for from := 0; from < len(o.frames); {
		n, err := o.port.Send(o.frames[from:])
		if errors.Is(err, unix.ENOBUFS) || errors.Is(err, unix.ENETDOWN) {
			n, err = n+1, nil
		}
		if counts {
			o.count(from, from+n)
		}
		from += n
		again := errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR)
		if err == nil || again && !stop() {
			continue
		}
		o.takeBack(from, counts)
		if again {
			return nil
		}
		return fmt.Errorf("send into %s: %w", o.name, err)
	}
	return nil
}

func (o *output) count(from, to int) {
	o.sent += uint64(to - from)
	for i, n := range o.sizes[from:to] {
		o.bytes += uint64(n)
		o.windows.sent(o.dues[from+i], o.flow, n)
	}
}

// takeBack undoes the numbering of what was not sent.
func (o *output) takeBack(from int, counts bool) {
	if !counts {
		return
	}
	for i := from; i < len(o.frames); i++ {
		o.seqs[o.sessions[i]]--
	}
}

// drain waits until what was handed over has left.
func (o *output) drain() error {
	if err := o.port.Drain(); err != nil {
		return fmt.Errorf("send into %s: %w", o.name, err)
	}
	return nil
}
