package afpacket

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
)

// batch is how many frames of a direction are taken before they are sent: so many that packets
// of many UEs are put together.
const batch = 512

// worker is one thread, with its sockets on both interfaces.
type worker struct {
	rules   *forward.Shared
	sides   [forward.Directions]*side // that a direction's packets come in by
	deliver *atomic.Pointer[func([]byte, netip.AddrPort)]
	stop    int // readable: wake up
	ending  *atomic.Bool
	ended   chan struct{}

	cutter  offload.Cutter
	heads   [][forward.HeadMax]byte
	queued  int          // of them that are in use
	flows   flows        // that leave by N6
	batches gsoBatches   // by N3
	watched atomic.Int32 // captures under way: nothing is joined
	strays  [][]byte     // outer IPv4 packets

	count struct{ received, sent, joined, lost, batches atomic.Uint64 }
}

// open opens what the worker sends by; number is which one it is, from 0 on.
func (w *worker) open(number int, n3, n6 string) (err error) {
	w.batches.uncut = !offload.KernelCutsUDP()
	w.flows.merger.TCPOnly = w.batches.uncut
	if w.flows.out, err = openExit(n6, number, &w.watched); err != nil {
		return err
	}
	w.batches.out, err = openExit(n3, number, &w.watched)
	return err
}

func (w *worker) close() error { return errors.Join(w.flows.out.close(), w.batches.out.close()) }

// run works until the datapath ends.
func (w *worker) run() {
	defer close(w.ended)
	for !w.ending.Load() {
		up, down := w.forward(forward.Uplink), w.forward(forward.Downlink)
		if up || down {
			w.count.batches.Add(1)
			continue
		}
		w.sleep()
	}
}

// sleep waits for frames, or for the end.
func (w *worker) sleep() {
	n3, n6 := w.sides[forward.Uplink], w.sides[forward.Downlink]
	var fds [5]unix.PollFd
	for i, fd := range [...]int{n3.usual.FD(), n3.long.FD(), n6.usual.FD(), n6.long.FD(), w.stop} {
		fds[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	}
	if _, err := threads.Poll(fds[:], w.patience()); err != nil {
		return // interrupted: look again
	}
	for _, out := range [...]*exit{w.flows.out, w.batches.out} {
		w.count.lost.Add(out.retry())
	}
	_, _ = tpacket.TakeErrors(fds[:4]) // of an interface that went down: the next poll would end at once
}

// patience is how long the worker may sleep, milliseconds: for ever, or until the driver may have
// room for what waits to be sent.
func (w *worker) patience() int {
	if w.flows.out.waiting() || w.batches.out.waiting() {
		return 1
	}
	return -1
}

// forward takes a batch of a direction; false when there was nothing.
func (w *worker) forward(way forward.Direction) bool {
	in := w.sides[way]
	w.queued, w.strays = 0, w.strays[:0]
	w.cutter.Reset()
	f, now := w.rules.Take(), w.rules.Now()
	taken := 0
	for ; taken < batch && w.queued < batch; taken++ {
		port, frame := in.next()
		if port == nil {
			break
		}
		w.take(f, way, port.Offload(), frame, now)
		port.Hold()
	}
	w.rules.Give()
	if taken == 0 {
		return false
	}
	w.sent(w.flows.flush())
	w.sent(w.batches.flush())
	w.handOver()
	in.releaseHeld()
	return true
}

// take decides about a frame, or about those that it stands for.
func (w *worker) take(f *forward.Forwarder, way forward.Direction, header, frame []byte, now uint64) {
	if header[0]&offload.NeedsChecksum == 0 && header[1] == offload.GSONone || !isIP(frame) {
		w.count.received.Add(1)
		w.put(f, f.Decide(way, frame, now), frame)
		return
	}
	h := offload.Parse(header)
	h.SumFrom -= min(h.SumFrom, forward.EthernetBytes)
	packets, err := w.cutter.Cut(h, frame[forward.EthernetBytes:])
	if err != nil {
		w.count.lost.Add(1)
		return
	}
	w.count.received.Add(uint64(len(packets)))
	for _, ip := range packets {
		w.put(f, f.DecideIP(way, ip, now), nil)
	}
}

func isIP(frame []byte) bool {
	switch {
	case len(frame) < forward.EthernetBytes+20:
		return false
	case frame[12] == 8 && frame[13] == 0:
		return frame[14]>>4 == 4
	}
	return frame[12] == 0x86 && frame[13] == 0xdd && frame[14]>>4 == 6 && len(frame) >= forward.EthernetBytes+40
}

// put queues what is forwarded. frame is where a G-PDU for no tunnel came in, if it is
// known.
func (w *worker) put(f *forward.Forwarder, d forward.Decision, frame []byte) {
	switch d.Verdict {
	case forward.Forward:
		if w.queued == len(w.heads) {
			w.heads = append(w.heads, [forward.HeadMax]byte{})
		}
		out := tpacket.Parts{Head: f.WriteHead(w.heads[w.queued][:0], &d), Body: d.TPDU}
		w.queued++
		join := w.watched.Load() == 0
		if d.Tunnel != nil {
			w.batches.add(d.Tunnel, out, join)
		} else {
			w.flows.add(out, join && d.Exit == nil)
		}
	case forward.Drop(datapath.ReasonUnknownTEID), forward.Drop(datapath.ReasonUnsupported):
		if frame != nil && len(w.strays) < cap(w.strays) {
			w.strays = append(w.strays, frame[forward.EthernetBytes:])
		}
	}
}

// sent counts frames, of which some were joined, and some lost.
func (w *worker) sent(all, joined, lost uint64) {
	w.count.sent.Add(all - lost)
	w.count.joined.Add(joined)
	w.count.lost.Add(lost)
}

// handOver gives G-PDUs for no tunnel to who answers them. Their headers have been
// checked.
func (w *worker) handOver() {
	to := w.deliver.Load()
	if to == nil {
		return
	}
	for _, ip := range w.strays {
		at := forward.PayloadOffset(ip)
		from := netip.AddrFrom4([4]byte(ip[12:16]))
		if ip[0]>>4 == 6 {
			from = netip.AddrFrom16([16]byte(ip[8:24]))
		}
		(*to)(ip[at:], netip.AddrPortFrom(from, binary.BigEndian.Uint16(ip[at-8:])))
	}
}
