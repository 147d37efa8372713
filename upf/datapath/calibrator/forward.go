package calibrator

import "github.com/upflab/upflab/upf/datapath"

// forwarder turns received frames into packets on their way: the UPF itself.
type forwarder struct {
	table    *table
	n3       [4]byte
	pool     *pool
	lanes    [directions]*lane
	routers  [directions]router
	counters datapath.Counters
	drops    [64]uint64 // by reason
	id       uint16     // of the next outer header
}

// uplinkFrame handles a frame from N3 that arrived at now.
func (f *forwarder) uplinkFrame(frame []byte, now uint64) {
	ip, v := f.table.decapsulate(frame, f.n3)
	if v == pass {
		f.counters.Passed++
		return
	}
	if v != forward {
		f.refuse(uplink, v, signature{})
		return
	}
	mark := readSignature(ip[payloadOffset(ip):])
	h, found := f.routers[uplink].route(destination(ip), now)
	if v := fitsLink(found, len(ip), h); v != forward {
		f.refuse(uplink, v, mark)
		return
	}
	p := f.take(uplink, mark, now)
	if p == nil {
		return
	}
	writePlain(p, ip, h)
	f.count(&f.counters.Uplink, len(ip))
	f.lanes[uplink].accept(p)
}

// downlinkFrame handles a frame from N6 that arrived at now.
func (f *forwarder) downlinkFrame(frame []byte, now uint64) {
	ip, rule, v := f.table.findUE(frame)
	if v == pass {
		f.counters.Passed++
		return
	}
	if v != forward {
		f.refuse(downlink, v, signature{})
		return
	}
	mark := readSignature(ip[payloadOffset(ip):])
	h, found := f.routers[downlink].route(rule.peer, now)
	if v := fitsLink(found, rule.outerBytes()+len(ip), h); v != forward {
		f.refuse(downlink, v, mark)
		return
	}
	p := f.take(downlink, mark, now)
	if p == nil {
		return
	}
	writeTunnelled(p, ip, rule, f.n3, f.id, h)
	f.id++
	f.count(&f.counters.Downlink, len(ip))
	f.lanes[downlink].accept(p)
}

func fitsLink(found bool, length int, h hop) verdict {
	switch {
	case !found:
		return dropFor(datapath.ReasonNoRoute)
	case length > h.mtu:
		return dropFor(datapath.ReasonTooBig)
	}
	return forward
}

// take books the packet as received and gives it a buffer, nil when there is
// none.
func (f *forwarder) take(way direction, mark signature, now uint64) *packet {
	b := f.lanes[way].book
	b.received(mark.trial)
	p := f.pool.take()
	if p == nil {
		b.lost(mark.trial, causeMemory)
		return nil
	}
	p.arrival, p.mark = now, mark
	return p
}

// refuse books a packet that the rules do not let through.
func (f *forwarder) refuse(way direction, v verdict, mark signature) {
	f.drops[v]++
	f.lanes[way].book.received(mark.trial)
	f.lanes[way].book.lost(mark.trial, causeRules)
}

// count counts what the rules let through, which is what forwarding by them
// comes to; what the parameters do to it is the ledger's.
func (f *forwarder) count(d *datapath.Direction, octets int) {
	d.Packets++
	d.Bytes += uint64(octets)
}

func (f *forwarder) totals() datapath.Counters {
	c := f.counters
	c.Drops = map[datapath.Reason]uint64{}
	for r, n := range f.drops {
		if n > 0 {
			c.Drops[datapath.Reason(r)] = n
		}
	}
	return c
}
