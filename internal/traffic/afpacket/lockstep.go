package afpacket

import (
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/receive"
)

// Lockstep sends packets of one flow and one shape, one at a time. Its caller's thread is to run on the only CPU and behind
// all others there (SCHED_IDLE): then each packet has gone as far as it goes when the next is sent.
type Lockstep struct {
	flow   *traffic.Flow
	shape  int
	out    *tpacket.Sender
	in     *tpacket.Port
	seen   *receive.Receiver
	end    func() error      // of the classifier that takes what arrives from the kernel
	frames [][]tpacket.Parts // of a batch, each alone
	sums   []uint64          // of the streams, as Flow.UDPSum
	sent   []uint64          // by stream
}

// lockstepTrial is the number of its only trial.
const lockstepTrial = 2

// OpenLockstep opens the sockets, for batches of so many packets.
func OpenLockstep(p Path, shape, batch int) (l *Lockstep, err error) {
	l = &Lockstep{flow: p.Flow, shape: shape, seen: receive.New(p.Flow), sent: make([]uint64, len(p.Flow.Streams))}
	l.seen.Begin(lockstepTrial)
	for i, s := range p.Flow.Streams {
		l.sums = append(l.sums, p.Flow.UDPSum(s, i, shape))
	}
	for n := range batch {
		l.frames = append(l.frames, []tpacket.Parts{{Head: p.Flow.Frame(l.stream(n), shape)}})
	}
	if l.out, err = openSender(p.Send); err != nil {
		return nil, err
	}
	err = p.Receive.NS.Do(func() (err error) {
		l.in, err = tpacket.Open(tpacket.Config{Interface: p.Receive.Name})
		return err
	})
	if err == nil {
		err = l.takeFromKernel(p.Receive)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// takeFromKernel ends what arrives behind the packet socket, which has a copy then: what the kernel's own protocols make of a
// packet depends on what is in it.
func (l *Lockstep) takeFromKernel(port netdev.Port) (err error) {
	const stolen = 4 // TC_ACT_STOLEN
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "upflab_silence", Type: ebpf.SchedCLS, License: "Apache-2.0",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, stolen), asm.Return()},
	})
	if err != nil {
		return fmt.Errorf("load the program that ends what arrives: %w", err)
	}
	defer program.Close() // its filter holds it
	l.end, err = port.Classify("upflab_silence", program.FD())
	return err
}

func (l *Lockstep) stream(n int) traffic.Stream { return l.flow.Streams[n%len(l.flow.Streams)] }

// sign gives the frames of a batch the signatures of the packets to come.
func (l *Lockstep) sign() {
	for n := range l.frames {
		i := n % len(l.flow.Streams)
		frame := l.frames[n][0].Head
		udp := frame[len(frame)-l.flow.PayloadBytes(l.shape)-udpHeader:]
		sig := signature.Signature{Trial: lockstepTrial, Word: signature.Word(i, l.shape), Sequence: l.sent[i]}
		sig.Put(udp[udpHeader:])
		checksum.Put(udp[6:], checksum.FinishUDP(l.sums[i]+sig.VaryingSum()))
		l.sent[i]++
	}
}

const udpHeader = 8

// straggling is how long a packet may take to arrive.
const straggling = 100 * time.Millisecond

// Batch sends a batch, and gives how far a clock goes on from before its first packet to after its last. whole reports
// whether all have arrived by then.
func (l *Lockstep) Batch(clock func() uint64) (ticks uint64, whole bool, err error) {
	l.sign()
	from := clock()
	for i := range l.frames {
		if _, err = l.out.Send(l.frames[i]); err != nil {
			return 0, false, fmt.Errorf("send a packet: %w", err)
		}
	}
	ticks = clock() - from
	before := l.seen.Received()
	missing := func() bool { l.take(); return l.seen.Received() < before+uint64(len(l.frames)) }
	whole = !missing()
	for !whole {
		had := l.seen.Received()
		if err := tpacket.Wait(straggling, l.in); err != nil {
			return 0, false, err
		}
		if !missing() || l.seen.Received() == had {
			break
		}
	}
	return ticks, whole, nil
}

// take looks at what has arrived.
func (l *Lockstep) take() {
	l.seen.Lock()
	defer l.seen.Unlock()
	for frame := l.in.Next(); frame != nil; frame = l.in.Next() {
		l.seen.Frame(frame, receive.Unknown)
		l.in.Release()
	}
}

// Outcome is what was sent, and what of it arrived how.
func (l *Lockstep) Outcome() (sent uint64, o traffic.FlowOutcome) {
	for _, n := range l.sent {
		sent += n
	}
	return sent, l.seen.Outcome(l.sent)
}

// Close frees the sockets.
func (l *Lockstep) Close() error {
	err := l.out.Close()
	if l.in != nil {
		err = errors.Join(err, l.in.Close())
	}
	if l.end != nil {
		err = errors.Join(err, l.end())
	}
	return err
}
