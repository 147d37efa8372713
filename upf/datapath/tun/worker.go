package tun

import (
	"net/netip"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/n3socket"
)

// worker is one thread: a socket on N3, a queue of the device, and all in between.
type worker struct {
	rules   *forward.Shared
	socket  *n3socket.Socket
	socket6 *n3socket.Socket // nil where N3 has no IPv6
	queue   *queue
	deliver *atomic.Pointer[func([]byte, netip.AddrPort)]
	stop    int // readable: end
	ended   chan struct{}

	exits    exits     // of tunnels on N6
	entering *entering // of the worker that reads them
	leaving  []leaving
	marking  n3socket.Marking // of one of them

	merger  offload.Merger
	bulk    bulk
	cutter  offload.Cutter
	tpdus   [][]byte
	strays  []stray
	packets [][]byte

	count struct{ received, sent, joined, lost, batches atomic.Uint64 }
	// gone is set when the device was taken away.
	gone atomic.Bool
}

// stray is a message that is not for a tunnel.
type stray struct {
	message []byte
	from    netip.AddrPort
}

// run works until stop is readable.
func (w *worker) run() {
	defer close(w.ended)
	fds := []unix.PollFd{
		{Fd: int32(w.socket.FD()), Events: unix.POLLIN}, {Fd: int32(w.queue.fd), Events: unix.POLLIN}, {Fd: int32(w.stop), Events: unix.POLLIN},
		{Fd: -1, Events: unix.POLLIN}, // none
	}
	if w.socket6 != nil {
		fds[3].Fd = int32(w.socket6.FD())
	}
	entrance := len(fds)
	if w.entering != nil {
		for _, s := range w.exits {
			fds = append(fds, unix.PollFd{Fd: int32(s.fd), Events: unix.POLLIN})
		}
	}
	for {
		if n, err := threads.Poll(fds, -1); n < 1 {
			if err != nil && err != unix.EINTR && err != unix.EAGAIN {
				return
			}
			continue
		}
		if fds[2].Revents != 0 {
			return
		}
		w.count.batches.Add(1)
		if fds[0].Revents != 0 {
			w.uplink(w.socket)
		}
		if fds[3].Revents != 0 {
			w.uplink(w.socket6)
		}
		if fds[1].Revents != 0 && !w.downlink() {
			fds[1].Fd = -1
			w.gone.Store(true)
		}
		for i := range fds[entrance:] {
			if fds[entrance+i].Revents != 0 {
				w.enter(w.exits[i])
			}
		}
	}
}

// uplink takes what a socket has to the device.
func (w *worker) uplink(from *n3socket.Socket) {
	n, _ := from.Receive() // an error is that of a packet sent before: nothing more comes of it
	if n == 0 {
		return
	}
	w.tpdus, w.strays = w.tpdus[:0], w.strays[:0]
	f, now := w.rules.Take(), w.rules.Now()
	for i := range n {
		w.decide(f, from.Datagram(i), now)
	}
	w.rules.Give()
	w.count.lost.Add(uint64(w.flush()))
	w.leave()
	w.merger.Reset()
	runs := 0
	for _, p := range w.tpdus {
		if w.merger.Add(p) {
			runs++
		}
	}
	if w.queue.limit != nil && w.bulk.choose(len(w.tpdus), runs, now, w.queue.drain) {
		w.put(w.tpdus)
	} else {
		w.write(w.merger.Runs())
	}
	w.handOver()
}

// decide finds the T-PDUs of a datagram, or of several in one.
func (w *worker) decide(f *forward.Forwarder, d n3socket.Datagram, now uint64) {
	for received := uint64(1); ; received++ {
		message := d.Data[:min(d.Size, len(d.Data))]
		x := f.DecideMessage(message, d.TOS, now)
		switch x.Verdict {
		case forward.Forward:
			f.Forwarded(&x)
			switch {
			case x.Tunnel != nil:
				w.relay(&x)
			case x.Exit != nil:
				forward.Age(x.TPDU) // the kernel does not forward it
				w.leaving = append(w.leaving, leaving{x.Exit, x.TPDU})
			default:
				w.tpdus = append(w.tpdus, x.TPDU)
			}
		case forward.Pass, forward.Drop(datapath.ReasonUnknownTEID), forward.Drop(datapath.ReasonUnsupported):
			if len(w.strays) < cap(w.strays) {
				w.strays = append(w.strays, stray{message, d.From})
			}
		}
		if d.Data = d.Data[len(message):]; len(d.Data) == 0 {
			w.count.received.Add(received)
			return
		}
	}
}

// relay queues what goes into another tunnel.
func (w *worker) relay(x *forward.Decision) {
	w.count.sent.Add(1)
	w.count.lost.Add(uint64(w.send(x)))
}

// send queues a G-PDU at the socket of its tunnel's family, and gives how many of those
// before were lost where it had no room.
func (w *worker) send(x *forward.Decision) (lost int) {
	socket := w.socket
	if x.Tunnel.Peer6.IsValid() {
		socket = w.socket6 // there is one: the rules were taken
	}
	if !socket.Add(x.Tunnel, x.Container, x.TPDU) {
		lost = socket.Flush()
		socket.Add(x.Tunnel, x.Container, x.TPDU)
	}
	return lost
}

// flush sends what is queued, and gives how many the kernel did not take.
func (w *worker) flush() (lost int) {
	lost = w.socket.Flush()
	if w.socket6 != nil {
		lost += w.socket6.Flush()
	}
	return lost
}

// put gives packets to the kernel's thread.
func (w *worker) put(packets [][]byte) {
	var lost uint64
	for _, p := range packets {
		if w.queue.put(p) != nil {
			lost++
		}
	}
	w.count.sent.Add(uint64(len(packets)) - lost)
	w.count.lost.Add(lost)
}

// write gives packets to the kernel, those that are put together as one.
func (w *worker) write(runs []offload.Run) {
	var sent, lost, joined uint64
	for i := range runs {
		n := uint64(runs[i].Packets())
		if w.queue.write(&runs[i]) != nil {
			lost += n
			continue
		}
		sent += n
		if n > 1 {
			joined += n
		}
	}
	w.count.joined.Add(joined)
	w.count.sent.Add(sent)
	w.count.lost.Add(lost)
}

func (w *worker) handOver() {
	if to := w.deliver.Load(); to != nil {
		for _, s := range w.strays {
			(*to)(s.message, s.from)
		}
	}
}

// downlink takes what the device has to the socket; false when the device is gone.
func (w *worker) downlink() bool {
	w.packets = w.packets[:0]
	w.cutter.Reset()
	alive := w.read()
	w.count.received.Add(uint64(len(w.packets)))
	sent, lost := 0, 0
	f, now := w.rules.Take(), w.rules.Now()
	for _, p := range w.packets {
		d := f.DecidePacket(p, now)
		if d.Verdict != forward.Forward {
			continue
		}
		f.Forwarded(&d)
		sent++
		lost += w.send(&d)
	}
	w.rules.Give()
	lost += w.flush()
	w.count.sent.Add(uint64(sent - lost))
	w.count.lost.Add(uint64(lost))
	return alive
}

// cutMax is how much is cut before it is sent, octets.
const cutMax = 128 << 10

// read takes packets from the device and cuts them.
func (w *worker) read() (alive bool) {
	for i := 0; i < reads && w.cutter.Octets() < cutMax; i++ {
		h, ip, err := w.queue.read(i)
		switch {
		case err == unix.EAGAIN || err == unix.EINTR:
			return true
		case err != nil:
			return false
		case len(ip) == 0:
			continue
		}
		if cut, err := w.cutter.Cut(h, ip); err == nil {
			w.packets = append(w.packets, cut...)
			if len(cut) > 1 {
				w.count.joined.Add(uint64(len(cut)))
			}
		}
	}
	return true
}
