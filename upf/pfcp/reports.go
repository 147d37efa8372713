package pfcp

import (
	"cmp"
	"container/heap"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// reports are the Session Report Requests and when they are due: by time, or when the datapath
// raises an alarm. Of a session, whatever is due is reported under the session's lock.
type reports struct {
	meters       *meters
	sessions     *sessions
	associations *associations
	kept         *keeping
	six          bool // N4 is of IPv6
	nodeID       *ie.IE
	ask          func(to netip.AddrPort, now time.Time, build func(sequence uint32) []byte, then follow)
	later        func(func())
	log          *slog.Logger
	*tally

	timers timers      // lock themselves
	alarms chan uint64 // sessions whose URRs reached a limit
}

// alarm is called by the datapath when a URR of the session reached a limit.
func (r *reports) alarm(seid uint64, _ session.URRKey) {
	select {
	case r.alarms <- seid:
	default:
		r.timers.add(time.Now(), seid)
	}
}

// run reports what is due of a session, when it is still there.
func (r *reports) run(seid uint64, now time.Time) {
	one := r.sessions.get(seid)
	if one == nil {
		return
	}
	one.Lock()
	defer one.Unlock()
	if !one.rules.IsZero() {
		r.notify(one, now)
		r.due(one, now)
	}
}

// runTimers reports what is due by time.
func (r *reports) runTimers(now time.Time) {
	for _, seid := range r.timers.take(now) {
		r.run(seid, now)
	}
}

// plan sets a timer for what is next due by time, by the rules that the session has. Its
// lock is held.
func (r *reports) plan(one *pduSession, rules *session.Rules) {
	var next time.Time
	for i := range rules.URRs {
		u := &rules.URRs[i]
		st := one.usage.of(u.ID)
		if at := st.next(&u.Asked); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	at := r.timers.moment(next)
	if at != 0 && at != one.timer {
		r.timers.add(next, one.up)
	}
	one.timer = at
}

// due reports the usage of a session's URRs that is due, to its CP function, and
// plans the next time. The session's lock is held.
func (r *reports) due(one *pduSession, now time.Time) {
	if r.meters.measurer == nil || one.rules.IsZero() {
		return
	}
	rules := one.rules.Rules()
	var reports []*ie.IE
	changed := false // beyond what is reported here
	for _, d := range r.meters.due(one, rules, now) {
		u, st := d.urr, d.state
		had := one.usage.of(u.ID)
		changed = changed || st.splits() != had.splits() || u.ID == watchURR && st.ended != had.ended
		switch d.why {
		case 0:
		case becauseInactive:
			r.inactive(one, now)
		default:
			reports = append(reports, st.reports(ie.UsageReportWithinSessionReportRequest, u, d.usage, d.why, now)...)
			if !d.why.isBare() {
				r.meters.mark(one, u, d.usage)
			}
		}
		one.usage.put(u.ID, st)
	}
	r.meters.enforce(one, rules, true)
	r.plan(one, rules)
	if changed || len(reports) > 0 {
		r.kept.session(one)
	}
	if len(reports) > 0 {
		r.usage(one, reports, now)
	}
}

// send sends a report of the node to a CP function, and again until it is answered.
func (r *reports) send(to netip.Addr, now time.Time, build func(sequence uint32) []byte) {
	r.ask(netip.AddrPortFrom(to, 0), now, build, follow{lost: func(time.Time) { r.countLost() }})
}

// countLost counts a report that is given up.
func (r *reports) countLost() { r.count(func(c *Counters) { c.ReportsLost++ }) }

// reportTypeUsage is USAR of a Report Type (clause 8.2.21).
const reportTypeUsage = 1 << 1

// usage sends a Session Report Request (clause 7.5.8).
func (r *reports) usage(one *pduSession, list []*ie.IE, now time.Time) {
	r.report(one, now, reportTypeUsage, list...)
}

// reportTypeDownlink is DLDR of a Report Type (TS 29.244 clause 8.2.21).
const reportTypeDownlink = 1 << 0

// notify tells the CP function of each flow whose downlink packets wait, when that is due. The session's lock
// is held.
func (r *reports) notify(one *pduSession, now time.Time) {
	if one.extras == nil || len(one.buffer.flows) == 0 {
		return
	}
	b, rules := &one.buffer, one.rules.Rules()
	for i := range b.flows {
		f := &b.flows[i]
		if f.due.IsZero() || now.Before(f.due) {
			continue
		}
		f.due = time.Time{}
		if waits := b.first(f.flowKey, rules); waits != nil {
			pdr, service := ie.NewPDRID(waits.PDR), serviceOf(rules, waits)
			r.report(one, now, reportTypeDownlink, pfcp.Group(ie.DownlinkDataReport, pdr, service))
		}
	}
}

// serviceOf is the Downlink Data Service Information (clause 8.2.27) of a packet that waits: its DSCP, by
// which the CP function tells the access how to page (TS 23.501 clause 5.4.3.2), and its QFI, where it
// has one.
func serviceOf(rules *session.Rules, h *datapath.Held) *ie.IE {
	const hasPolicy, hasQFI = 1 << 0, 1 << 1
	tos := h.TPDU[1]
	if h.TPDU[0]>>4 == 6 {
		tos = h.TPDU[0]<<4 | h.TPDU[1]>>4
	}
	b := []byte{hasPolicy, tos >> 2}
	if pdr := rules.FindPDR(h.PDR); pdr != nil {
		if qfi, _, _ := markOf(rules, pdr, *h); qfi != 0 {
			b[0] |= hasQFI
			b = append(b, qfi)
		}
	}
	return ie.New(ie.DownlinkDataServiceInformation, b)
}

// reportTypeInactivity is UPIR of a Report Type (clause 8.2.21).
const reportTypeInactivity = 1 << 3

// inactive tells the CP function that no packets come. The session's lock is held.
func (r *reports) inactive(one *pduSession, now time.Time) {
	r.report(one, now, reportTypeInactivity)
}

// came notes that a packet came that is held, which the datapath counts only when it leaves: the session is active. Its
// lock is held.
func (r *reports) came(one *pduSession, rules *session.Rules, now time.Time) {
	if rules.FindURR(watchURR) == nil {
		return
	}
	st := one.usage.of(watchURR)
	again := st.came(now)
	if one.usage.put(watchURR, st); again {
		r.due(one, now)
		r.kept.session(one)
	}
}

func (r *reports) gone(one *pduSession, tunnel session.OuterHeader, now time.Time) {
	one.Lock()
	defer one.Unlock()
	if one.rules.IsZero() || now.Sub(one.extra().indicated) < indicationEvery {
		return
	}
	one.indicated = now
	r.report(one, now, reportTypeError, pfcp.Group(ie.ErrorIndicationReport, remoteFTEID(tunnel.TEID, tunnel.Peer)))
}

// timers are when usage is due to be reported, by session. An entry that no longer holds
// does nothing.
type timers struct {
	began time.Time // from which moments count
	mu    sync.Mutex
	heap  timerHeap
}

// moment is a time in nanoseconds since timers began, in a third of a time.Time's room; 0 for none.
type moment int64

func (t *timers) moment(at time.Time) moment {
	if at.IsZero() {
		return 0
	}
	return moment(cmp.Or(at.Sub(t.began), 1))
}

type timer struct {
	at   moment
	seid uint64
}

type timerHeap []timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h timerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(t any)        { *h = append(*h, t.(timer)) }

func (h *timerHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (t *timers) add(at time.Time, seid uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	heap.Push(&t.heap, timer{t.moment(at), seid})
}

// take gives the sessions whose time has come.
func (t *timers) take(now time.Time) (seids []uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for now := t.moment(now); len(t.heap) > 0 && t.heap[0].at <= now; {
		seids = append(seids, heap.Pop(&t.heap).(timer).seid)
	}
	return seids
}
