package afpacket

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/afpacket"
	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/wire/signature"
)

// batchMax is how many frames one system call hands over at most.
const batchMax = afpacket.Batch

// output is where one flow's frames leave. It belongs to the sending thread.
type output struct {
	name     string
	template *template
	sender   *afpacket.Sender
	next     int      // session whose turn it is
	seqs     []uint64 // of the sessions: the trial's next numbers

	heads    [batchMax][headMax]byte
	frames   []afpacket.Parts // to be handed over
	sessions [batchMax]int    // of each
	sizes    [batchMax]int
	dues     [batchMax]uint64 // ns
	windows  *windows         // that the flow's packets are counted in
	flow     int

	sent, bytes uint64 // of the trial
	refused     uint64 // of those, by the port: its receiver's ring was full
}

func openOutput(f *traffic.Flow, port netdev.Port) (o *output, err error) {
	o = &output{name: port.Name, template: newTemplate(f), seqs: make([]uint64, len(f.Streams)),
		frames: make([]afpacket.Parts, 0, batchMax)}
	err = port.NS.Do(func() (err error) {
		o.sender, err = afpacket.OpenSender(port.Name)
		return err
	})
	return o, err
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
	o.sent, o.bytes, o.refused = 0, 0, 0
}

// put builds the frame of a shape of the session whose turn it is. The caller flushes when there are
// as many as it wants to hand over together, batchMax at most.
func (o *output) put(kind int, sig signature.Signature, counts bool) {
	i := len(o.frames)
	session := o.next
	if counts {
		sig.Sequence = o.seqs[session]
		o.seqs[session]++
	}
	n := o.template.build(&o.heads[i], session, kind, sig)
	k := &o.template.shapes[kind]
	o.sessions[i], o.sizes[i], o.dues[i] = session, k.bytes, sig.Intended
	o.frames = append(o.frames, afpacket.Parts{Head: o.heads[i][:n], Body: k.body})
}

// flush hands over what there is. A frame that the port refuses, because its
// receiver's ring is full, was sent and is counted there as dropped. While too many
// frames are under way it tries again, until stop says that it is enough: what is
// left then was not sent.
func (o *output) flush(counts bool, stop func() bool) error {
	defer func() { o.frames = o.frames[:0] }()
	for from := 0; from < len(o.frames); {
		n, err := o.sender.Send(o.frames[from:])
		switch {
		case err == nil:
		case errors.Is(err, unix.ENOBUFS):
			n = 1
			if counts {
				o.refused++
			}
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			if stop() {
				o.takeBack(from, counts)
				return nil
			}
		default:
			o.takeBack(from, counts)
			return fmt.Errorf("send into %s: %w", o.name, err)
		}
		if counts {
			o.count(from, from+n)
		}
		from += n
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

func (o *output) close() error {
	if o.sender == nil {
		return nil
	}
	return o.sender.Close()
}
