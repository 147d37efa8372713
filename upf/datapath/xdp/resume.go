package xdp

import (
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/upf/session"
)

// Resume makes a URR's count continue from u, unless the maps of an earlier process are still
// there: what its programs counted is more exact.
func (d *Datapath) Resume(seid uint64, urr uint32, u session.Usage) {
	d.usages.mu.Lock()
	defer d.usages.mu.Unlock()
	k := usageKey{seid, urr}
	if _, kept := d.usages.kept[k]; !kept {
		d.usages.resumed[k] = u
	}
}

// readKept finds the usages that an earlier process left.
func (u *usages) readKept() error {
	if u.names == nil {
		return nil
	}
	var number uint32
	var name usageName
	used := map[uint32]bool{}
	all := u.names.Iterate()
	for all.Next(&number, &name) {
		u.kept[usageKey{name.SEID, name.URR}] = number
		used[number] = true
	}
	u.table.resume(used)
	return all.Err()
}

// takeKept goes on with a usage that is there. The edition of its limits goes on, too,
// for the programs remember of which one they told.
func (u *usages) takeKept(k usageKey) *usageUse {
	number, kept := u.kept[k]
	if !kept {
		return nil
	}
	delete(u.kept, k)
	return &usageUse{number: number, edition: atomic.LoadUint64(&u.table.at(number).Told)}
}

// add makes a usage, which begins at 0 or where it was resumed.
func (u *usages) add(k usageKey) (*usageUse, error) {
	var v upfUsage
	if r, resumed := u.resumed[k]; resumed {
		v.Packets = [2]uint64{r.Uplink.Packets, r.Downlink.Packets}
		v.Octets = [2]uint64{r.Uplink.Octets, r.Downlink.Octets}
		v.First = monotonic(r.First)
		delete(u.resumed, k)
	}
	number, entry, err := u.table.take()
	if err != nil {
		return nil, err
	}
	*entry = v
	if u.names != nil {
		if err := u.names.Update(number, &usageName{SEID: k.seid, URR: k.urr}, ebpf.UpdateAny); err != nil {
			u.table.give(number)
			return nil, err
		}
	}
	return &usageUse{number: number}, nil
}

// forgetOthers removes the usages that were left and that no session has.
func (u *usages) forgetOthers() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for k, number := range u.kept {
		_ = u.names.Delete(number)
		u.table.give(number)
		delete(u.kept, k)
	}
	clear(u.resumed)
}

// monotonic is a time of day on the programs' clock; 0 for none.
func monotonic(at time.Time) uint64 {
	if at.IsZero() {
		return 0
	}
	now := wallClock(0) // when that clock began
	return uint64(max(1, at.Sub(now)))
}
