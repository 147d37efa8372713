package xdp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

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
	if err := d.prepare(steps, after); err != nil {
		return errors.Join(err, d.usages.undo(changes))
	}
	if err := d.commit(steps, lengths); err != nil {
		d.release(after)
		return errors.Join(err, d.usages.undo(changes))
	}
	passOn(steps)
	d.settle(changes, before)
	d.release(before)
	d.table.record(changes, steps)
	return nil
}

// prepare makes what the entries point at: gNBs and rows.
func (d *Datapath) prepare(steps []step, entries []*entry) error {
	if err := d.peers.hold(steps); err != nil {
		return err
	}
	built := 0
	for _, s := range steps {
		if s.new == nil {
			continue
		}
		if err := d.chains.build(s, d.usages); err != nil {
			d.chains.release(entries[:built])
			d.peers.release(entries)
			return err
		}
		built++
	}
	return nil
}

func (d *Datapath) release(entries []*entry) {
	d.chains.release(entries)
	d.peers.release(entries)
}

func entriesOf(steps []step) (before, after []*entry) {
	for _, s := range steps {
		if s.old != nil {
			before = append(before, s.old)
		}
		if s.new != nil {
			after = append(after, s.new)
		}
	}
	return before, after
}

// commit carries the steps out, or undoes those that it did. Packets are looked up by
// the lengths of prefixes that there were and will be, meanwhile.
func (d *Datapath) commit(steps []step, after lengthList) error {
	both := union(d.lengths, after)
	if len(both) <= maxLengths {
		d.setLengths(listOf(both))
	}
	for i, s := range steps {
		if s.keeps() {
			continue
		}
		if err := d.set(s.key, s.new); err != nil {
			d.setLengths(d.lengths)
			return errors.Join(err, d.undo(steps[:i]))
		}
	}
	d.setLengths(after)
	d.lengths = after
	return nil
}

// setLengths writes to mapped memory, which cannot fail once it has worked.
func (d *Datapath) setLengths(l lengthList) {
	if l == d.lengths && l == d.written {
		return
	}
	_ = d.objects.Lengths6.Set(l)
	d.written = l
}

// undo restores what was, last first.
func (d *Datapath) undo(done []step) error {
	var errs []error
	for _, s := range slices.Backward(done) {
		errs = append(errs, d.set(s.key, s.old))
	}
	return errors.Join(errs...)
}

// set makes the map hold the entry, or none.
func (d *Datapath) set(k key, e *entry) error {
	if d.direct.set(k, e) {
		return nil
	}
	m, id := k.place(&d.objects)
	if e == nil {
		return explainSet(k, "remove", m.Delete(id))
	}
	return explainSet(k, "set", m.Update(id, e.value(), ebpf.UpdateAny))
}

func explainSet(k key, verb string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.E2BIG), errors.Is(err, unix.ENOMEM):
		return fmt.Errorf("xdp: %s the rule of %v: %w: %w", verb, k, datapath.ErrFull, err)
	}
	return fmt.Errorf("xdp: %s the rule of %v: %w", verb, k, err)
}
