package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// heldHeader is what comes before the packet in struct held of bpf/hold.h.
const heldHeader = 12

// listen hands packets on until the reader is closed.
func (h *holds) listen(packets *ringbuf.Reader) {
	var record ringbuf.Record
	for packets.ReadInto(&record) == nil {
		b := record.RawSample
		if len(b) < heldHeader {
			continue
		}
		number, length := binary.NativeEndian.Uint32(b), int(binary.NativeEndian.Uint32(b[4:]))
		if length > len(b)-heldHeader {
			continue
		}
		h.mu.Lock()
		k, known := h.byNumber[number]
		to := h.to
		h.mu.Unlock()
		if known && to != nil {
			mark := b[8]
			to(datapath.Held{SEID: k.seid, PDR: k.pdr, Copy: k.copy, QFI: mark & session.MaxQFI, RQI: mark&rqi != 0,
				TPDU: b[heldHeader : heldHeader+length]})
		}
	}
}

// OnHold implements datapath.Holder.
func (d *Datapath) OnHold(f func(datapath.Held)) {
	d.chains.holds.mu.Lock()
	defer d.chains.holds.mu.Unlock()
	d.chains.holds.to = f
}

// Count implements datapath.Holder.
func (d *Datapath) Count(seid uint64, urr session.URRKey, c session.Count) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.usages.count(usageKey{seid, urr}, c)
}

// OnNotice sets the callback for packets that a router has to answer.
func (d *Datapath) OnNotice(f func(datapath.Notice)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notice = f
}

// noticeHeader is what comes before the packet in struct notice of bpf/notice.h; the others are its
// NOTICE_UPLINK and NOTICE_EXPIRED.
const (
	noticeHeader  = 12
	noticeUplink  = 1 << 31
	noticeExpired = 1 << 30
)

// listenNotices hands packets on until the reader is closed.
func (d *Datapath) listenNotices(packets *ringbuf.Reader) {
	var record ringbuf.Record
	for packets.ReadInto(&record) == nil {
		b := record.RawSample
		if len(b) < noticeHeader {
			continue
		}
		mtu, length := binary.NativeEndian.Uint32(b[4:]), int(binary.NativeEndian.Uint32(b[8:]))
		n := datapath.Notice{Uplink: mtu&noticeUplink != 0, Expired: mtu&noticeExpired != 0, MTU: int(mtu &^ (noticeUplink | noticeExpired))}
		if length < 20 || length > len(b)-noticeHeader {
			continue
		}
		if n.Packet = b[noticeHeader : noticeHeader+length]; n.Packet[0]>>4 != 4 && length < 40 {
			continue
		}
		d.deliver(n, [4]byte(b))
	}
}

// deliver finds whose packet it is: by the TEID that one of the UE's link came with, by
// the UE's address else.
func (d *Datapath) deliver(n datapath.Notice, teid [4]byte) {
	d.mu.Lock()
	var e *record
	switch {
	case n.MTU == 0 && !n.Expired:
		k := key{source: session.Access, ipv6: true}
		copy(k.id[:], teid[:])
		e = d.table.find(k)
	case n.Packet[0]>>4 == 4:
		k := key{source: session.Core}
		if copy(k.id[:], n.Packet[16:20]); n.Uplink {
			copy(k.id[:], n.Packet[12:16])
		}
		e = d.table.find(k)
	case n.Uplink:
		e = d.recordOf([16]byte(n.Packet[8:24]))
	default:
		e = d.recordOf([16]byte(n.Packet[24:40]))
	}
	if e != nil {
		n.SEID = e.seid
	}
	to := d.notice
	d.mu.Unlock()
	if e != nil && to != nil {
		to(n)
	}
}

// recordOf is the record of the longest prefix that has a UE's address, nil where there is
// none.
func (d *Datapath) recordOf(ue [16]byte) *record {
	for _, bits := range d.lengths {
		if bits == 0 {
			return nil
		}
		p := netip.PrefixFrom(netip.AddrFrom16(ue), int(bits)).Masked()
		if e := d.table.find(key{session.Core, true, bits, p.Addr().As16()}); e != nil {
			return e
		}
	}
	return nil
}

// captureRun is a capture under way.
type captureRun struct {
	*watched
	reader *ringbuf.Reader
	ended  chan struct{}
}

// Capture copies packets as they arrive and leave. While it is open, programs that copy as well
// as forward replace those that only forward.
func (d *Datapath) Capture(of []datapath.WatchKey, f func(datapath.Seen)) (io.Closer, error) {
	c := &captureRun{ended: make(chan struct{})}
	var err error
	c.watched, err = d.watchPrograms(true, func(o *watchedPorts) error {
		for _, k := range of {
			if err := o.Wanted.Update(wireWatchKey(k), uint8(1), ebpf.UpdateAny); err != nil {
				return fmt.Errorf("xdp: choose packets: %w", err)
			}
		}
		c.reader, err = ringbuf.NewReader(o.Frames)
		return err
	})
	if err != nil {
		return nil, err
	}
	go c.read(f)
	return c, nil
}

// Close implements io.Closer.
func (c *captureRun) Close() error {
	err := c.reader.Close()
	<-c.ended
	return errors.Join(err, c.close())
}

func (c *captureRun) read(f func(datapath.Seen)) {
	defer close(c.ended)
	one := len(c.datapath.ports) == 1
	for {
		record, err := c.reader.Read()
		if err != nil {
			return
		}
		var frame watchedSeenFrame
		if binary.Read(bytes.NewReader(record.RawSample), binary.NativeEndian, &frame) == nil && frame.Stage != seenPassed {
			f(seenOf(&frame, one))
		}
	}
}

// The values of enum seen_stage in bpf/watch.h.
const (
	seenIn = iota
	seenOut
	seenDropped
	seenPassed
)

// seenOf reads a record. What came by N3 leaves by N6, and the other way round; where one
// port is both, the kind of packet says where it came from.
func seenOf(f *watchedSeenFrame, one bool) datapath.Seen {
	n6 := f.Port == 1
	if one {
		n6 = f.Kind != seenTEID
	}
	s := datapath.Seen{At: wallClock(f.At), N6: n6, Length: int(f.Length)}
	switch f.Stage {
	case seenOut:
		s.N6, s.Out = !n6, true
	case seenDropped:
		s.Dropped = true
		return s
	}
	s.Frame = f.Bytes[:min(int(f.Copied), len(f.Bytes))]
	return s
}
