package impair

import (
	"encoding/binary"
	"testing"

	"github.com/upflab/upflab/upf/datapath/forward"
)

// bench drives a lane with packets of a virtual time, ns.
type bench struct {
	*lane
	at   uint64
	sent [][]byte     // what left
	when []uint64     // and when
	fail func() error // of the next frame, nil: none
}

func newBench(t testing.TB, text string, way forward.Direction) *bench {
	t.Helper()
	plan, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{at: 1000}
	p := plan.Uplink
	if way == forward.Downlink {
		p = plan.Downlink
	}
	b.lane = newLane(way, p, testMarks{}, newPool(plan.buffers(), 256), newBook(16), b.at)
	b.clock = func() uint64 { return b.at }
	b.send = b.take
	return b
}

func (b *bench) take(frames [][]byte) (int, error) {
	for i, f := range frames {
		if b.fail != nil {
			if err := b.fail(); err != nil {
				return i, err
			}
		}
		b.sent = append(b.sent, append([]byte(nil), f...))
		b.when = append(b.when, b.at)
	}
	return len(frames), nil
}

const testPayload = 64

// arrive gives the lane packet n of a trial's stream 0 at a time.
func (b *bench) arrive(trial uint16, n, at uint64) {
	b.until(at)
	b.book.received(trial)
	p := b.pool.take()
	if p == nil {
		b.book.lost(trial, causeMemory)
		return
	}
	headers := 14
	if b.way == forward.Downlink {
		headers = teidOffset + 4
		binary.BigEndian.PutUint32(p.buffer[teidOffset:], 7)
	}
	writeMark(p.buffer[headers:], trial, n, at)
	p.length, p.payload, p.arrival = headers+testPayload, headers, at
	p.mark = testMarks{}.Read(p.buffer[headers:p.length])
	b.accept(p)
}

// testMarks are like those of upflab's load generator.
type testMarks struct{}

const testMagic = 0x7566

func (testMarks) Read(b []byte) Mark {
	if len(b) < 32 || binary.LittleEndian.Uint16(b) != testMagic {
		return Mark{}
	}
	return Mark{
		Trial: binary.LittleEndian.Uint16(b[2:]), Stream: binary.LittleEndian.Uint32(b[4:]), Sequence: binary.LittleEndian.Uint64(b[8:]),
		Intended: binary.LittleEndian.Uint64(b[16:]), Sent: binary.LittleEndian.Uint64(b[24:]), Found: true,
	}
}

func (testMarks) Trial() (from, to int) { return 2, 4 }

func writeMark(payload []byte, trial uint16, n, at uint64) {
	clear(payload[:testPayload])
	binary.LittleEndian.PutUint16(payload, testMagic)
	binary.LittleEndian.PutUint16(payload[2:], trial)
	binary.LittleEndian.PutUint64(payload[8:], n)
	binary.LittleEndian.PutUint64(payload[16:], at-50)
	binary.LittleEndian.PutUint64(payload[24:], at-40)
}

// until lets time pass: everything leaves at the moment when it is due.
func (b *bench) until(end uint64) {
	for {
		next := b.next()
		if next > end {
			break
		}
		b.at = max(b.at, next)
		b.depart(b.at)
	}
	b.at = max(b.at, end)
	b.depart(b.at)
}

const never = ^uint64(0)

// next is when something happens inside next.
func (b *bench) next() uint64 {
	next := uint64(never)
	if p := b.line.head(); p != nil {
		next = p.due
	}
	if b.server != nil && b.server.serving.len() > 0 {
		next = min(next, b.server.until)
	}
	if len(b.held) > 0 {
		next = min(next, max(b.held[0].p.due+heldAtMost, b.at))
	}
	return next
}

// flow sends n packets of trial 2 with a gap, and waits for all of them.
func (b *bench) flow(n int, gap uint64) Trial {
	for i := range n {
		b.arrive(2, uint64(i), 10000+uint64(i)*gap)
	}
	b.until(b.at + 100e9)
	t, _ := Side{Trials: b.book.view(accountsMax)}.Find(2)
	return t
}

func (b *bench) sequences() []uint64 {
	var all []uint64
	for _, f := range b.sent {
		payload := f[len(f)-testPayload:]
		all = append(all, binary.LittleEndian.Uint64(payload[8:]))
	}
	return all
}
