package receive

import (
	"bytes"
	"sync"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// sampleMask: the payload of one packet in 64 of a stream is compared whole.
const sampleMask = 63

// Receiver follows one flow.
type Receiver struct {
	want   expectation
	ports  map[uint16]bool // destination ports of the shapes
	tracks []track

	mu sync.Mutex // of what Live and Outcome read
	totals
	windows windows
}

// totals are what a trial came to.
type totals struct {
	trial          uint16
	received       uint64
	bytes          uint64
	marked         uint64 // of those received
	duplicates     uint64
	reordered      uint64
	stale, foreign uint64
	untimed        uint64 // received, but when is not known
	jitterSum      uint64 // 1/16 ns
	jitterCount    uint64
	wrong          [reasons]uint64
	latency        traffic.Histogram
	actual         traffic.Histogram
	ipdv           traffic.Histogram
	extents        traffic.Histogram
	extentUnknown  uint64
	first, last    uint64 // ns, of what was received
	runs           runs
	specimen       [128]byte
	specimenBytes  int
}

// New makes a receiver of a flow's frames as they are to arrive.
func New(f *traffic.Flow) *Receiver {
	r := &Receiver{want: expect(f), ports: map[uint16]bool{}, tracks: make([]track, len(f.Streams))}
	for _, s := range f.Shapes {
		r.ports[s.DestinationPort] = true
	}
	return r
}

// Begin forgets the last trial and counts the frames of the next one. The number
// of a trial is not that of the one before, or 0.
func (r *Receiver) Begin(trial uint16) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.totals = totals{trial: trial}
	r.windows.begin()
}

// Lock keeps others from reading while frames are taken.
func (r *Receiver) Lock() { r.mu.Lock() }

// Unlock ends what Lock began.
func (r *Receiver) Unlock() { r.mu.Unlock() }

// Unknown is a time of arrival that is not known.
const Unknown = 0

// Frame takes a frame that arrived at now, ns of CLOCK_MONOTONIC or Unknown. The
// caller has the lock.
func (r *Receiver) Frame(data []byte, now uint64) {
	f := frame{data: data, qfi: qfiNone, wrong: right}
	if !f.open(&r.want) {
		r.foreign++
		return
	}
	payload := data[f.inner+f.ip+udpBytes:]
	sig, signed := signature.Parse(payload)
	if !signed {
		r.unsigned(&f)
		return
	}
	if sig.Trial != r.trial {
		r.stale++
		return
	}
	session, kind := sig.Session(), sig.Shape()
	if session >= len(r.want.streams) || kind >= len(r.want.shapes) {
		f.wrong = wrongSignature
		r.count(&f)
		return
	}
	s, k := &r.want.streams[session], &r.want.shapes[kind]
	if f.encapsulated && f.teid != s.teid {
		f.fault(wrongTEID)
	}
	if r.want.gnbs && f.encapsulated && !bytes.Equal(f.gnb, s.gnb) {
		f.fault(wrongOuterIP)
	}
	if r.want.qfis && f.qfi != qfiNone && f.qfi != s.qfi {
		f.fault(wrongQFI)
	}
	r.want.checkInner(&f, s, k, &sig)
	if r.want.outer6() && f.encapsulated && f.wrong == right && !f.rightOuterSum() {
		f.fault(wrongOuterUDP)
	}
	if sig.Sequence&sampleMask == 0 && !k.holds(payload[signature.Bytes:]) {
		f.fault(wrongPayload)
	}
	if f.wrong != right {
		r.count(&f)
		return
	}
	r.take(&sig, &r.tracks[session], len(data), now, f.marked)
}

// unsigned books a frame without our signature: it is foreign, or one of ours that was
// damaged.
func (r *Receiver) unsigned(f *frame) {
	udp := f.data[f.inner+f.ip:]
	if !r.ports[uint16(udp[2])<<8|uint16(udp[3])] {
		r.foreign++
		return
	}
	f.wrong = wrongSignature
	r.count(f)
}

// count books a wrong frame and keeps its beginning.
func (r *Receiver) count(f *frame) {
	r.wrong[f.wrong]++
	r.specimenBytes = copy(r.specimen[:], f.data)
}

// take books a frame that is right.
func (r *Receiver) take(sig *signature.Signature, k *track, length int, now uint64, marked bool) {
	v := k.sequence(sig.Sequence, r.trial, &r.runs)
	switch v {
	case duplicate:
		r.duplicates++
		return
	case reordered:
		r.late(k.extent(sig.Sequence))
	}
	r.received++
	r.bytes += uint64(length)
	w := r.windows.at(sig, length)
	if marked {
		r.mark(w)
	}
	if now == Unknown {
		r.untimed++
		k.keep(sig.Sequence, 0)
		return
	}
	if r.last = now; r.first == 0 {
		r.first = now
	}
	latency, transit := now-sig.Intended, now-sig.Sent
	r.latency.Add(latency)
	r.actual.Add(transit)
	if w != nil {
		w.Latency.Add(latency)
		w.Actual.Add(transit)
	}
	r.vary(k, w, sig.Sequence, transit, v)
	if k.estimate(transit) {
		r.jitter(w, k.jitter)
	}
}

// mark books a mark of congestion.
func (r *Receiver) mark(w *window.Received) {
	r.marked++
	if w != nil {
		w.Marked++
	}
}

// jitter books the estimate after a packet, 1/16 ns.
func (r *Receiver) jitter(w *window.Received, estimate uint64) {
	r.jitterSum += estimate
	r.jitterCount++
	if w != nil {
		w.JitterSum += estimate
		w.JitterCount++
	}
}

// late books a reordered packet and by how many arrivals it is late; 0: unknown.
func (r *Receiver) late(extent uint64) {
	r.reordered++
	if extent == 0 {
		r.extentUnknown++
		return
	}
	r.extents.Add(extent)
}

// vary records a delay's difference to those of the packets sent right before and,
// if that is already there, right after.
func (r *Receiver) vary(k *track, w *window.Received, seq, delay uint64, v verdict) {
	if d, ok := k.variation(seq-1, delay); ok {
		r.variation(w, d)
	}
	if v == reordered {
		if d, ok := k.variation(seq+1, delay); ok {
			r.variation(w, d)
		}
	}
	k.keep(seq, delay)
}

func (r *Receiver) variation(w *window.Received, d uint64) {
	r.ipdv.Add(d)
	if w != nil {
		w.IPDV.Add(d)
	}
}

// Received is how many frames of the trial arrived so far, once and right. It may
// be called from any goroutine.
func (r *Receiver) Received() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.received
}

// AddLatency adds the latencies so far to the counts of h. It may be called from
// any goroutine.
func (r *Receiver) AddLatency(h *traffic.Histogram) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.AddCounts(&r.latency)
}

// Outcome gives what arrived in the trial. sent is how many packets of each session
// there were; it ends the trial: what arrives after it is not counted right.
func (r *Receiver) Outcome(sent []uint64) traffic.FlowOutcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	received := make([]uint64, len(sent))
	for i, n := range sent {
		k := &r.tracks[i]
		if k.trial != r.trial {
			*k = track{trial: r.trial} // nothing of it has arrived
		}
		k.finish(n, &r.runs)
		received[i] = k.arrived
	}
	o := traffic.FlowOutcome{
		Received: r.received, ReceivedBySession: received, ReceivedBytes: r.bytes, Receiving: traffic.Span{First: r.first, Last: r.last},
		Marked: r.marked, Duplicates: r.duplicates, Reordered: r.reordered, Foreign: r.foreign,
		Latency: r.latency, Actual: r.actual, IPDV: r.ipdv, Jitter: traffic.Jitter{Sum: r.jitterSum, Count: r.jitterCount},
		LossRuns: r.runs.list(), Extents: r.extents, ExtentUnknown: r.extentUnknown,
	}
	o.ReceiveSeconds, o.JitterNS = o.Receiving.Seconds(o.Received), o.Jitter.Nanoseconds()
	r.faults(&o)
	return o
}

func (r *Receiver) faults(o *traffic.FlowOutcome) {
	names := traffic.Faults()
	for i, n := range r.wrong {
		if n > 0 {
			o.Wrong = append(o.Wrong, record.Count{Place: names[i], Packets: n})
			o.Specimen = append([]byte(nil), r.specimen[:r.specimenBytes]...)
		}
	}
}
