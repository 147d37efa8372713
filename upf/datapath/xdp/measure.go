package xdp

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Usage implements datapath.Measurer.
func (d *Datapath) Usage(seid uint64, urr uint32) (session.Usage, error) {
	use := d.usages.find(usageKey{seid, urr})
	if use == nil {
		return session.Usage{}, fmt.Errorf("xdp: session %#x: URR %d is not in the datapath", seid, urr)
	}
	return d.usages.read(use), nil
}

// SetLimits implements datapath.Measurer.
func (d *Datapath) SetLimits(seid uint64, urr uint32, l session.Limits) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	use := d.usages.find(usageKey{seid, urr})
	if use == nil {
		return fmt.Errorf("xdp: session %#x: URR %d is not in the datapath", seid, urr)
	}
	if err := d.usages.limit(use, l); err != nil {
		return fmt.Errorf("xdp: limit URR %d: %w", urr, err)
	}
	return nil
}

// OnAlarm implements datapath.Measurer.
func (d *Datapath) OnAlarm(f func(seid uint64, urr uint32)) {
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

// settle gives away what the URRs counted that sessions no longer have, when no packet
// can be counted by the rows that were, and forgets them.
func (d *Datapath) settle(changes []datapath.Change, before []*entry) {
	quiet := false
	for _, c := range changes {
		for _, k := range gone(c.Old, c.New) {
			if !quiet {
				d.chains.cut(before)
				d.waitQuiet()
				quiet = true
			}
			d.final(c, k)
		}
	}
}

func (d *Datapath) final(c datapath.Change, k usageKey) {
	use := d.usages.find(k)
	if use == nil {
		return
	}
	if c.Final != nil {
		c.Final(k.urr, d.usages.read(use))
	}
	d.chains.retire(retired{usages: d.usages.remove(k)})
}

// cut removes the first rows of chains that no rule names any more: who looks for
// them now finds none.
func (c *chains) cut(entries []*entry) {
	for _, e := range entries {
		switch {
		case e.chain == nil || len(e.chain.numbers) == 0:
		case e.key.ipv6:
			c.cutBlock(e.chain.numbers[0])
		default:
			c.cutRow(e.chain.numbers[0])
		}
	}
}

// quietAtMost bounds waitQuiet. A CPU of a virtual machine may stand still.
const quietAtMost = time.Second

// waitQuiet waits until each CPU has been outside of all chains.
func (d *Datapath) waitQuiet() {
	var at []upfCounters
	if d.objects.Totals.Lookup(uint32(0), &at) != nil {
		return
	}
	threads.Await(quietAtMost, 20*time.Microsecond, func() bool {
		var now []upfCounters
		return d.objects.Totals.Lookup(uint32(0), &now) != nil || allLeft(at, now)
	})
}

// allLeft reports whether each CPU was outside at first, or left since.
func allLeft(at, now []upfCounters) bool {
	for i := range at {
		if at[i].Entered != at[i].Left && now[i].Left == at[i].Left {
			return false
		}
	}
	return true
}
