package xdp

import (
	"encoding/binary"
	"net/netip"

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
	for _, bits := range d.rules.lengths {
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
