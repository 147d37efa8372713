package xdp

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/xdp/pages"
	"github.com/upflab/upflab/upf/datapath/xdp/pin"
	"github.com/upflab/upflab/upf/session"
)

// usages are the counters of URRs. Each keeps its number as long as the session has the
// URR.
type usages struct {
	objects *upfObjects
	table   *pages.Table[upfUsage]
	limits  *pages.Table[upfUsageLimits]
	// names are whose the usages are, for a later process; nil: there will be none.
	names *ebpf.Map
	// kept are usages of an earlier process, and resumed where others begin; until they
	// are taken.
	kept    map[usageKey]uint32
	resumed map[usageKey]session.Usage

	mu     sync.Mutex // guards the tables, which alarms are looked up in
	byKey  map[usageKey]*usageUse
	owners []usageKey // by number; zero where there is none
	alarm  func(seid uint64, urr session.URRKey)
}

// usageKey says whose usage it is.
type usageKey struct {
	seid uint64
	urr  session.URRKey
}

// usageUse is a usage's number and the limits that the programs have.
type usageUse struct {
	number  uint32
	edition uint64
	limits  *session.Limits // nil: none
}

func newUsages(o *upfObjects) *usages {
	return &usages{
		objects: o, byKey: map[usageKey]*usageUse{},
		kept: map[usageKey]uint32{}, resumed: map[usageKey]session.Usage{},
	}
}

func (u *usages) find(k usageKey) *usageUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.byKey[k]
}

// prepare makes the counters of new URRs and sets the limits of all. On an error, and
// by undo, what it made goes again, and the old rules' limits are back.
func (u *usages) prepare(changes []datapath.Change) error {
	for i, c := range changes {
		if err := u.prepareOne(c.New); err != nil {
			return errors.Join(err, u.undo(changes[:i+1]))
		}
	}
	return nil
}

func (u *usages) prepareOne(r *session.Rules) error {
	if r == nil {
		return nil
	}
	for i := range r.URRs {
		k := usageKey{r.SEID, r.URRs[i].Key()}
		use, err := u.ensure(k)
		if err == nil {
			err = u.limit(use, r.URRs[i].Limits)
		}
		if err != nil {
			return fmt.Errorf("xdp: count for URR %d: %w", k.urr.ID(), err)
		}
	}
	return nil
}

func (u *usages) undo(changes []datapath.Change) error {
	var errs []error
	for _, c := range changes {
		for _, k := range gone(c.New, c.Old) {
			u.table.Give(u.remove(k)...) // no packet was counted
		}
		errs = append(errs, u.prepareOne(c.Old))
	}
	return errors.Join(errs...)
}

func (u *usages) ensure(k usageKey) (*usageUse, error) {
	if use := u.find(k); use != nil {
		return use, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	use := u.takeKept(k)
	if use == nil {
		var err error
		if use, err = u.add(k); err != nil {
			return nil, err
		}
	}
	u.byKey[k] = use
	u.own(use.number, k)
	return use, nil
}

// own notes whose a number is.
func (u *usages) own(number uint32, k usageKey) {
	if more := int(number) + 1 - len(u.owners); more > 0 {
		u.owners = append(u.owners, make([]usageKey, more)...)
	}
	u.owners[number] = k
}

// ownerOf finds the key that owns a number; ok is false when nobody owns it.
func (u *usages) ownerOf(number uint32) (k usageKey, ok bool) {
	if int64(number) < int64(len(u.owners)) {
		k = u.owners[number]
	}
	return k, k != usageKey{}
}

// limit replaces limits where they differ.
func (u *usages) limit(use *usageUse, l session.Limits) error {
	if use.has(l) {
		return nil
	}
	entry, err := u.limits.Place(use.number)
	if err != nil {
		return err
	}
	quota := volumes(l.Quota)
	if l.Closed {
		quota = [3]uint64{}
	}
	for i, alarm := range volumes(l.Alarm) {
		atomic.StoreUint64(&entry.Alarm[i], alarm)
		atomic.StoreUint64(&entry.Quota[i], quota[i])
	}
	atomic.StoreUint64(&entry.Edition, use.edition+1)
	use.edition, use.limits = use.edition+1, &l
	return nil
}

// unlimit has a number have no limits. There is its page where it had any.
func (u *usages) unlimit(use *usageUse) {
	if use.limits != nil {
		atomic.StoreUint64(&u.limits.At(use.number).Edition, 0)
	}
}

// has reports whether the programs have the limits.
func (u *usageUse) has(l session.Limits) bool {
	if u.limits == nil {
		return l == session.Limits{}
	}
	return *u.limits == l
}

// volumes are limits as the programs compare with them.
func volumes(o session.Octets) [3]uint64 {
	v := [3]uint64{o.Total, o.Uplink, o.Downlink}
	for i := range v {
		if v[i] == 0 {
			v[i] = math.MaxUint64 // none
		}
	}
	return v
}

// gone lists the URRs that the old rules have and the new ones have not.
func gone(old, now *session.Rules) (list []usageKey) {
	if old == nil {
		return nil
	}
	for i := range old.URRs {
		if k := old.URRs[i].Key(); !now.Counts(k) {
			list = append(list, usageKey{old.SEID, k})
		}
	}
	return list
}

// remove forgets a usage and gives its number, which is not free yet.
func (u *usages) remove(k usageKey) []uint32 {
	u.mu.Lock()
	defer u.mu.Unlock()
	use := u.byKey[k]
	if use == nil {
		return nil
	}
	if u.names != nil {
		_ = u.names.Delete(use.number)
	}
	u.unlimit(use)
	delete(u.byKey, k)
	u.own(use.number, usageKey{})
	return []uint32{use.number}
}

// read gives what was counted.
func (u *usages) read(use *usageUse) session.Usage {
	v := u.table.At(use.number)
	usage := session.Usage{
		Uplink:   session.Count{Packets: atomic.LoadUint64(&v.Packets[0]), Octets: atomic.LoadUint64(&v.Octets[0])},
		Downlink: session.Count{Packets: atomic.LoadUint64(&v.Packets[1]), Octets: atomic.LoadUint64(&v.Octets[1])},
	}
	if first := atomic.LoadUint64(&v.First); first != 0 {
		usage.First = wallClock(first)
	}
	if last := atomic.LoadUint64(&v.Last); last != 0 {
		usage.Last = wallClock(last)
	}
	return usage
}

// count adds downlink packets that others sent than the programs, where these count theirs, and raises the alarm that
// they reach, as these do.
func (u *usages) count(k usageKey, c session.Count) {
	use := u.find(k)
	if use == nil {
		return
	}
	v, now := u.table.At(use.number), uint64(threads.Monotonic())
	atomic.CompareAndSwapUint64(&v.First, 0, now)
	atomic.StoreUint64(&v.Last, now)
	atomic.AddUint64(&v.Packets[1], c.Packets)
	atomic.AddUint64(&v.Octets[1], c.Octets)
	told := atomic.LoadUint64(&v.Told)
	if use.limits == nil || told == use.edition || !u.read(use).Octets().Reached(use.limits.Alarm) ||
		!atomic.CompareAndSwapUint64(&v.Told, told, use.edition) {
		return
	}
	u.mu.Lock()
	alarm := u.alarm
	u.mu.Unlock()
	if alarm != nil {
		alarm(k.seid, k.urr)
	}
}

// wallClock is the time of day at a time of the programs' clock.
func wallClock(monotonic uint64) time.Time {
	return time.Now().Add(time.Duration(monotonic) - time.Duration(threads.Monotonic()))
}

// Resume makes a URR's count continue from u, unless the maps of an earlier process are still
// there: what its programs counted is more exact.
func (d *Datapath) Resume(seid uint64, urr session.URRKey, u session.Usage) {
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
	var name pin.Usage
	used := map[uint32]bool{}
	all := u.names.Iterate()
	for all.Next(&number, &name) {
		u.kept[usageKey{name.SEID, name.URR}] = number
		used[number] = true
	}
	u.table.Resume(used)
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
	return &usageUse{number: number, edition: atomic.LoadUint64(&u.table.At(number).Told)}
}

// add makes a usage, which begins at 0 or where it was resumed.
func (u *usages) add(k usageKey) (*usageUse, error) {
	var v upfUsage
	if r, resumed := u.resumed[k]; resumed {
		v.Packets = [2]uint64{r.Uplink.Packets, r.Downlink.Packets}
		v.Octets = [2]uint64{r.Uplink.Octets, r.Downlink.Octets}
		v.First, v.Last = monotonic(r.First), monotonic(r.Last)
		delete(u.resumed, k)
	}
	number, entry, err := u.table.Take()
	if err != nil {
		return nil, err
	}
	*entry = v
	if u.names != nil {
		if err := u.names.Update(number, &pin.Usage{SEID: k.seid, URR: k.urr}, ebpf.UpdateAny); err != nil {
			u.table.Give(number)
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
		u.table.Give(number)
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
