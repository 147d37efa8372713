package impair

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/upflab/upflab/upf/datapath/forward"
)

// lane is the path of one direction's packets from the ring they come from to the
// port they leave by. It does I/O by send alone, and takes the time from its caller
// and from clock.
type lane struct {
	way     forward.Direction
	marks   Marks
	pool    *pool
	decide  deciders
	police  *policer // nil: none
	server  *server  // nil: none
	delay   delayer
	line    fifo // by due time
	held    []held
	depth   int
	offset  *rand.Rand
	book    *book
	outbox  []departure
	frames  [][]byte
	send    func(frames [][]byte) (int, error)
	clock   func() uint64
	taken   uint64                     // ns: what arrived until then has been accepted; 0: all
	deliver func(p *packet, at uint64) // where the server's packets go; made once
}

// held is a packet that waits for others to overtake it.
type held struct {
	p      *packet
	behind int // so many more
}

// departure is a frame in the outbox.
type departure struct {
	p    *packet
	copy bool
	last bool // the packet is done with
}

// batch is how many frames are handed over at once.
const batch = 8

// heldAtMost is how long a packet waits to be overtaken, ns.
const heldAtMost = 5e6

func newLane(way forward.Direction, p Parameters, marks Marks, packets *pool, b *book, origin uint64) *lane {
	p = p.withDefaults()
	g := newGate(p.Stall, origin)
	l := &lane{
		way: way, marks: marks, pool: packets, decide: newDeciders(p, way), police: newPolicer(p), server: newServer(p, way, g),
		delay: newDelayer(p, way, g), line: newFIFO(cap(packets.free)), held: make([]held, 0, cap(packets.free)),
		depth: p.Depth, offset: newRand(p, way, sequenceOffset), book: b,
		outbox: make([]departure, 0, batch), frames: make([][]byte, 0, batch),
	}
	l.deliver = func(p *packet, at uint64) { p.due = l.delay.due(at); l.line.push(p) }
	return l
}

// accept takes a packet that the rules forward. Arrival, frame and mark are set.
func (l *lane) accept(p *packet) {
	if l.decide.loss.next() {
		l.lose(p, causeLoss)
		return
	}
	if l.police != nil && !l.police.admit(p.tpdu, p.arrival) {
		l.lose(p, causePolicer)
		return
	}
	p.fate = l.decide.fate()
	if l.server == nil {
		l.deliver(p, p.arrival)
		return
	}
	l.server.advance(p.arrival, l.deliver)
	if !l.server.offer(p) {
		l.lose(p, causeQueue)
		return
	}
	l.book.queued(p, l.server.inside())
}

func (l *lane) lose(p *packet, why cause) {
	l.book.lost(p.mark.Trial, why)
	l.pool.give(p)
}

// depart sends everything that is due now. It reports whether there was any.
func (l *lane) depart(now uint64) bool {
	if l.server != nil {
		l.server.advance(l.until(now), l.deliver)
	}
	sent := false
	for p := l.line.head(); p != nil && p.due <= now; p = l.line.head() {
		l.line.pop()
		sent = true
		l.overtake(p)
	}
	for len(l.held) > 0 && l.held[0].p.due+heldAtMost <= now {
		l.leave(l.held[0].p) // no packet came to overtake it
		l.held = append(l.held[:0], l.held[1:]...)
		sent = true
	}
	l.flush()
	return sent
}

// until is as far as the server may go: it must not serve ahead of packets that
// have arrived and are still in the ring.
func (l *lane) until(now uint64) uint64 {
	if l.taken == 0 {
		return now
	}
	return min(now, l.taken)
}

// overtake lets the packet leave, before those that wait for it, or wait.
func (l *lane) overtake(p *packet) {
	if p.reorder {
		l.held = append(l.held, held{p, l.depth})
		return
	}
	l.leave(p)
	still := l.held[:0]
	for _, h := range l.held {
		if h.behind--; h.behind > 0 {
			still = append(still, h)
			continue
		}
		l.leave(h.p)
	}
	l.held = still
}

// leave puts the packet into the outbox, twice if it is to be doubled.
func (l *lane) leave(p *packet) {
	p.ce = p.ce && p.markCE()
	l.damage(p)
	l.put(departure{p: p, last: !p.duplicate})
	if p.duplicate {
		l.put(departure{p: p, copy: true, last: true})
	}
}

func (l *lane) put(d departure) {
	if len(l.outbox) == batch {
		l.flush()
	}
	l.outbox = append(l.outbox, d)
	l.frames = append(l.frames, d.p.frame())
}

// flush hands the outbox to the kernel and books it. Frames depart during the
// call: each has an equal part of its time, and departs in the middle of that.
func (l *lane) flush() {
	for from := 0; from < len(l.outbox); {
		begin := l.clock()
		n, err := l.send(l.frames[from:])
		part := (l.clock() - begin) / uint64(2*max(n, 1))
		for i, d := range l.outbox[from : from+n] {
			l.book.departed(d, begin+part*uint64(2*i+1))
		}
		from += n
		if err != nil {
			l.book.lost(l.outbox[from].p.mark.Trial, causeEgress)
			from++
		}
	}
	for _, d := range l.outbox {
		if d.last {
			l.pool.give(d.p)
		}
	}
	l.outbox, l.frames = l.outbox[:0], l.frames[:0]
}

// idle reports whether no packet is inside.
func (l *lane) idle() bool {
	return l.line.len() == 0 && len(l.held) == 0 && (l.server == nil || l.server.inside() == 0)
}

// teidOffset is where the TEID is in a frame with an outer IPv4 header.
const teidOffset = 14 + 20 + 8 + 4

// damage makes a packet wrong that is to be. Checksums stay as they were.
func (l *lane) damage(p *packet) {
	if p.wrongTEID {
		teid := p.buffer[teidOffset:]
		binary.BigEndian.PutUint32(teid, binary.BigEndian.Uint32(teid)+1)
	}
	if p.corrupt && p.payload < p.length {
		p.buffer[l.flipped(p)] ^= 0xff
	}
}

// flipped chooses the octet: any of the payload, but not the number of the
// trial, by which the ledger and a report are matched.
func (l *lane) flipped(p *packet) int {
	n := p.length - p.payload
	if !p.mark.Found {
		return p.payload + l.offset.IntN(n)
	}
	from, to := l.marks.Trial()
	at := l.offset.IntN(n - (to - from))
	if at >= from {
		at += to - from
	}
	return p.payload + at
}
