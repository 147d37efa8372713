package xdp

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/upf/session"
)

// Usage implements datapath.Measurer.
func (d *Datapath) Usage(seid uint64, urr session.URRKey) (session.Usage, error) {
	use := d.usages.find(usageKey{seid, urr})
	if use == nil {
		return session.Usage{}, fmt.Errorf("xdp: session %#x: URR %d is not in the datapath", seid, urr.ID())
	}
	return d.usages.read(use), nil
}

// Mark implements datapath.Measurer.
func (d *Datapath) Mark(seid uint64, urr session.URRKey) {
	if use := d.usages.find(usageKey{seid, urr}); use != nil {
		atomic.StoreUint64(&d.usages.table.At(use.number).First, 0)
	}
}

// SetLimits implements datapath.Measurer.
func (d *Datapath) SetLimits(seid uint64, urr session.URRKey, l session.Limits) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	use := d.usages.find(usageKey{seid, urr})
	if use == nil {
		return fmt.Errorf("xdp: session %#x: URR %d is not in the datapath", seid, urr.ID())
	}
	if err := d.usages.limit(use, l); err != nil {
		return fmt.Errorf("xdp: limit URR %d: %w", urr.ID(), err)
	}
	if l != (session.Limits{}) {
		for n := d.table.sessions[seid]; n != 0; n = d.table.records.At(n).next {
			d.chains.limit(d.table.load(n), use.number)
		}
	}
	return nil
}

// OnAlarm implements datapath.Measurer.
func (d *Datapath) OnAlarm(f func(seid uint64, urr session.URRKey)) {
	d.usages.mu.Lock()
	defer d.usages.mu.Unlock()
	d.usages.alarm = f
}

// listen hands alarms on until the reader is closed.
func (u *usages) listen(alarms *ringbuf.Reader) {
	for {
		record, err := alarms.Read()
		if err != nil {
			return
		}
		if len(record.RawSample) < 4 {
			continue
		}
		u.mu.Lock()
		k, known := u.ownerOf(binary.NativeEndian.Uint32(record.RawSample))
		f := u.alarm
		u.mu.Unlock()
		if known && f != nil {
			f(k.seid, k.urr)
		}
	}
}
