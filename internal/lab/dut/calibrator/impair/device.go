package impair

import "github.com/upflab/upflab/upf/datapath/forward"

// device gives what is forwarded to the lanes, and books the rest.
type device struct {
	forwarder *forward.Forwarder
	marks     Marks
	pool      *pool
	lanes     [forward.Directions]*lane
}

// frame handles a frame of a direction that arrived at now.
func (d *device) frame(way forward.Direction, frame []byte, now uint64) {
	decision := d.forwarder.Decide(way, frame, now)
	if decision.Verdict == forward.Pass {
		return
	}
	var mark Mark
	if ip := decision.TPDU; ip != nil {
		mark = d.marks.Read(ip[forward.PayloadOffset(ip):])
	}
	p := d.book(way, mark, decision.Verdict)
	if p == nil {
		return
	}
	p.arrival, p.mark, p.tpdu = now, mark, len(decision.TPDU)
	written, at := d.forwarder.Write(p.buffer, &decision)
	p.length, p.payload = len(written), at+forward.PayloadOffset(written[at:])
	d.lanes[way].accept(p)
}

// book books a packet as received and gives memory for one that is forwarded; nil: it
// is lost.
func (d *device) book(way forward.Direction, mark Mark, v forward.Verdict) *packet {
	b := d.lanes[way].book
	b.received(mark.Trial)
	if v != forward.Forward {
		b.lost(mark.Trial, causeRules)
		return nil
	}
	p := d.pool.take()
	if p == nil {
		b.lost(mark.Trial, causeMemory)
	}
	return p
}
