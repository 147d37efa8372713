package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/neighbour"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
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

// wantedSlots is WANTED_SLOTS of bpf/route.h.
const wantedSlots = 64

// resolveWanted asks the kernel to resolve the neighbours that the programs
// missed. Where that fails the programs ask again with the next packet.
func (r *router) resolveWanted() {
	known := neighbours{}
	_ = r.unresolved.Set([wantedSlots]uint32{})
	var wanted [wantedSlots]uint32
	if r.wanted.Get(&wanted) == nil && wanted != [wantedSlots]uint32{} {
		_ = r.wanted.Set([wantedSlots]uint32{})
		for _, destination := range wanted {
			if destination != 0 {
				r.resolve(binary.NativeEndian.AppendUint32(nil, destination), known)
			}
		}
	}
	var wanted6 [wantedSlots]upfAddr6
	if r.wanted6.Get(&wanted6) == nil && wanted6 != [wantedSlots]upfAddr6{} {
		_ = r.wanted6.Set([wantedSlots]upfAddr6{})
		for _, destination := range wanted6 {
			if destination != (upfAddr6{}) {
				b := octets6(destination)
				r.resolve(b[:], known)
			}
		}
	}
}

// octets6 is an address as it is in a packet.
func octets6(a upfAddr6) (b [16]byte) {
	binary.NativeEndian.PutUint64(b[:], a.Word[0])
	binary.NativeEndian.PutUint64(b[8:], a.Word[1])
	return b
}

// resolve sends the ARP request, or the neighbour solicitation, that the kernel would
// send for a packet.
func (r *router) resolve(ip net.IP, known neighbours) {
	routes, err := r.kernel.RouteGet(ip)
	if err != nil || len(routes) == 0 {
		return
	}
	if gateway := routes[0].Gw; gateway != nil {
		ip = gateway
	}
	if link := routes[0].LinkIndex; !known.isResolved(r.kernel, link, ip) {
		_ = neighbour.Resolve(r.kernel, link, ip)
	}
}

// neighbours are those of links, each listed once.
type neighbours map[int][]netlink.Neigh

// isResolved reports whether the kernel has a neighbour's address. Asking for a permanent entry would
// make it an ordinary one.
func (known neighbours) isResolved(kernel *netlink.Handle, link int, ip net.IP) bool {
	list, ok := known[link]
	if !ok {
		var err error
		if list, err = kernel.NeighList(link, netlink.FAMILY_ALL); err != nil {
			return false
		}
		known[link] = list
	}
	const valid = neighbour.Resolved | netlink.NUD_NOARP
	return slices.ContainsFunc(list, func(n netlink.Neigh) bool { return n.IP.Equal(ip) && n.State&valid != 0 })
}

// planner gathers the steps of one Apply.
type planner struct {
	table *table
	steps []step
	at    map[key]int // which step changes the key
}

// release frees the keys of a session that changes or goes.
func (p *planner) release(c datapath.Change) error {
	if c.Old == nil {
		return p.checkNew(c)
	}
	first, ok := p.table.sessions[c.Old.SEID]
	if !ok {
		return fmt.Errorf("session %#x: not in the datapath: apply it first", c.Old.SEID)
	}
	for n := first; n != 0; n = p.table.records.at(n).next {
		k := p.table.records.at(n).key
		if _, twice := p.at[k]; twice {
			return fmt.Errorf("session %#x: changed twice in one batch: join the changes", c.Old.SEID)
		}
		p.at[k] = len(p.steps)
		p.steps = append(p.steps, step{key: k, old: p.table.load(n), number: n})
	}
	return nil
}

func (p *planner) checkNew(c datapath.Change) error {
	if c.New == nil {
		return fmt.Errorf("a change with neither old nor new rules: give one")
	}
	if _, ok := p.table.sessions[c.New.SEID]; ok {
		return fmt.Errorf("session %#x: already in the datapath: give its old rules", c.New.SEID)
	}
	return nil
}

// claim takes the keys that the rules want.
func (p *planner) claim(r *session.Rules) error {
	entries, err := compile(r, p.table.ends)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := p.claimKey(e); err != nil {
			return err
		}
	}
	return nil
}

// claimKey refuses a key that another session's PDR has.
func (p *planner) claimKey(e compiled) error {
	i, touched := p.at[e.key]
	if !touched {
		if owner := p.table.find(e.key); owner != nil {
			return conflict(e.entry, owner)
		}
		p.at[e.key] = len(p.steps)
		p.steps = append(p.steps, step{key: e.key, new: e.entry, rows: e.rows})
		return nil
	}
	if owner := p.steps[i].new; owner != nil {
		return conflict(e.entry, &record{seid: owner.seid, pdr: owner.pdr})
	}
	p.steps[i].new, p.steps[i].rows = e.entry, e.rows
	return nil
}

func conflict(e *entry, owner *record) error {
	return &session.RuleError{
		Kind: session.KindPDR, ID: uint32(e.pdr),
		Reason: fmt.Sprintf("%v is that of PDR %d of session %#x",
			e.key, owner.pdr, owner.seid),
	}
}

func (p *planner) checkRoom() error {
	grow := map[tableID]int{}
	for _, s := range p.steps {
		if n := s.change(); n != 0 {
			grow[s.key.table()] += n
		}
	}
	for t, n := range grow {
		if p.table.count[t]+n > p.table.max {
			return fmt.Errorf("xdp: %d PDRs from %v: %w: raise max sessions", p.table.count[t]+n, t.source, datapath.ErrFull)
		}
	}
	return nil
}
