package xdp

import (
	"errors"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath"
)

// Apply changes sessions, all or none. The error is or wraps a
// *session.RuleError when a rule cannot be carried out, and datapath.ErrFull
// when there is no room. A key that stays is replaced in place, so that a packet
// meets the old rule or the new one; what is new is there before what is old
// goes.
func (d *Datapath) Apply(changes []datapath.Change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	steps, err := d.table.plan(changes)
	if err != nil {
		return err
	}
	lengths, err := d.table.lengths.after(steps)
	if err != nil {
		return err
	}
	before, after := entriesOf(steps)
	if err := d.usages.prepare(changes); err != nil {
		return err
	}
	if err = d.prepare(steps); err == nil {
		err = d.rules.commit(steps, lengths)
	}
	if err != nil {
		d.release(after)
		return errors.Join(err, d.usages.undo(changes))
	}
	passOn(steps)
	d.settle(changes, before)
	d.release(before)
	d.table.record(changes, steps)
	return nil
}

// prepare makes what the new entries point at: gNBs and rows. On an error they have some of them.
func (d *Datapath) prepare(steps []step) error {
	for _, s := range steps {
		if s.new == nil {
			continue
		}
		if err := d.peers.hold(s.new, s.rows); err != nil {
			return err
		}
		if err := d.chains.build(s, d.usages); err != nil {
			return err
		}
	}
	return nil
}

// release takes back what entries point at.
func (d *Datapath) release(entries []*entry) {
	d.chains.release(entries)
	d.peers.release(entries)
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

// quietAtMost bounds waitQuiet. A CPU of a virtual machine may stand still.
const quietAtMost = time.Second

// waitQuiet waits until each CPU has been outside of all chains.
func (d *Datapath) waitQuiet() {
	var at []upfCounters
	if d.objects.Totals.Lookup(uint32(0), &at) != nil {
		return
	}
	wait.Until(quietAtMost, 20*time.Microsecond, func() bool {
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
