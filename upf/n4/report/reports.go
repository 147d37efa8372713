// Package report tells CP functions what happens to their sessions: usage, downlink data, errors, inactivity, and paths
// that fail (TS 29.244 clauses 7.4.5.1 and 7.5.8).
package report

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
	"github.com/upflab/upflab/upf/n4/ask"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/hold"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
	"github.com/upflab/upflab/upf/n4/usage"
	"github.com/upflab/upflab/upf/session"
)

// Reports are the Session Report Requests and when they are due: by time, or when the datapath
// raises an alarm. Of a session, whatever is due is reported under the session's lock.
type Reports struct {
	Meters       *Meters
	Sessions     *association.Sessions
	Associations *association.Associations
	Kept         *association.Keeping
	Six          bool // N4 is of IPv6
	NodeID       *ie.IE
	Ask          func(to netip.AddrPort, now time.Time, build func(sequence uint32) []byte, then ask.Follow)
	Later        func(func())
	Log          *slog.Logger
	*tally.Tally

	Timers timers      // lock themselves
	Alarms chan uint64 // sessions whose URRs reached a limit
}

// Alarm is called by the datapath when a URR of the session reached a limit.
func (r *Reports) Alarm(seid uint64, _ session.URRKey) {
	select {
	case r.Alarms <- seid:
	default:
		r.Timers.Add(time.Now(), seid)
	}
}

// Run reports what is due of a session, when it is still there.
func (r *Reports) Run(seid uint64, now time.Time) {
	one := r.Sessions.Get(seid)
	if one == nil {
		return
	}
	one.Lock()
	defer one.Unlock()
	if !one.Rules.IsZero() {
		r.Notify(one, now)
		r.due(one, now)
	}
}

// RunTimers reports what is due by time.
func (r *Reports) RunTimers(now time.Time) {
	for _, seid := range r.Timers.Take(now) {
		r.Run(seid, now)
	}
}

// Plan sets a timer for what is next due by time, by the rules that the session has. Its
// lock is held.
func (r *Reports) Plan(one *association.Session, rules *session.Rules) {
	var next time.Time
	for i := range rules.URRs {
		u := &rules.URRs[i]
		st := one.Usage.Of(u.ID)
		if at := st.Next(&u.Asked); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	at := r.Timers.moment(next)
	if at != 0 && at != one.Timer {
		r.Timers.Add(next, one.Up)
	}
	one.Timer = at
}

// due reports the usage of a session's URRs that is due, to its CP function, and
// plans the next time. The session's lock is held.
func (r *Reports) due(one *association.Session, now time.Time) {
	if r.Meters.Measurer == nil || one.Rules.IsZero() {
		return
	}
	rules := one.Rules.Rules()
	var reports []*ie.IE
	changed := false // beyond what is reported here
	for _, d := range r.Meters.due(one, rules, now) {
		u, st := d.urr, d.state
		had := one.Usage.Of(u.ID)
		changed = changed || st.Splits() != had.Splits() || u.ID == request.WatchURR && st.Ended != had.Ended
		switch d.why {
		case 0:
		case usage.BecauseInactive:
			r.inactive(one, now)
		default:
			reports = append(reports, st.Reports(ie.UsageReportWithinSessionReportRequest, u, d.usage, d.why, now)...)
			if !d.why.IsBare() {
				r.Meters.mark(one, u, d.usage)
			}
		}
		one.Usage.Put(u.ID, st)
	}
	r.Meters.enforce(one, rules, true)
	r.Plan(one, rules)
	if changed || len(reports) > 0 {
		r.Kept.Session(one)
	}
	if len(reports) > 0 {
		r.usage(one, reports, now)
	}
}

// send sends a report of the node to a CP function, and again until it is answered.
func (r *Reports) send(to netip.Addr, now time.Time, build func(sequence uint32) []byte) {
	r.Ask(netip.AddrPortFrom(to, 0), now, build, ask.Follow{Lost: func(time.Time) { r.countLost() }})
}

// countLost counts a report that is given up.
func (r *Reports) countLost() { r.Count(func(c *tally.Counters) { c.ReportsLost++ }) }

// reportTypeUsage is USAR of a Report Type (clause 8.2.21).
const reportTypeUsage = 1 << 1

// usage sends a Session Report Request (clause 7.5.8).
func (r *Reports) usage(one *association.Session, list []*ie.IE, now time.Time) {
	r.report(one, now, reportTypeUsage, list...)
}

// reportTypeDownlink is DLDR of a Report Type (TS 29.244 clause 8.2.21).
const reportTypeDownlink = 1 << 0

// Notify tells the CP function of each flow whose downlink packets wait, when that is due. The session's lock
// is held.
func (r *Reports) Notify(one *association.Session, now time.Time) {
	if one.Extras == nil || len(one.Buffer.Flows) == 0 {
		return
	}
	b, rules := &one.Buffer, one.Rules.Rules()
	for i := range b.Flows {
		f := &b.Flows[i]
		if f.Due.IsZero() || now.Before(f.Due) {
			continue
		}
		f.Due = time.Time{}
		if waits := b.First(f.FlowKey, rules); waits != nil {
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
		if qfi, _, _ := hold.MarkOf(rules, pdr, *h); qfi != 0 {
			b[0] |= hasQFI
			b = append(b, qfi)
		}
	}
	return ie.New(ie.DownlinkDataServiceInformation, b)
}

// reportTypeInactivity is UPIR of a Report Type (clause 8.2.21).
const reportTypeInactivity = 1 << 3

// inactive tells the CP function that no packets come. The session's lock is held.
func (r *Reports) inactive(one *association.Session, now time.Time) {
	r.report(one, now, reportTypeInactivity)
}

// Came notes that a packet came that is held, which the datapath counts only when it leaves: the session is active. Its
// lock is held.
func (r *Reports) Came(one *association.Session, rules *session.Rules, now time.Time) {
	if rules.FindURR(request.WatchURR) == nil {
		return
	}
	st := one.Usage.Of(request.WatchURR)
	again := st.Came(now)
	if one.Usage.Put(request.WatchURR, st); again {
		r.due(one, now)
		r.Kept.Session(one)
	}
}

func (r *Reports) Gone(one *association.Session, tunnel session.OuterHeader, now time.Time) {
	one.Lock()
	defer one.Unlock()
	if one.Rules.IsZero() || now.Sub(one.Extra().Indicated) < IndicationEvery {
		return
	}
	one.Indicated = now
	r.report(one, now, reportTypeError, pfcp.Group(ie.ErrorIndicationReport, remoteFTEID(tunnel.TEID, tunnel.Peer)))
}

// timers are when usage is due to be reported, by session. An entry that no longer holds
// does nothing.
type timers struct {
	Began time.Time // from which moments count
	mu    sync.Mutex
	heap  timerHeap
}

func (t *timers) moment(at time.Time) association.Moment {
	if at.IsZero() {
		return 0
	}
	return association.Moment(cmp.Or(at.Sub(t.Began), 1))
}

type timer struct {
	at   association.Moment
	seid uint64
}

type timerHeap []timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool { return h[i].at < h[j].at }

func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *timerHeap) Push(t any) { *h = append(*h, t.(timer)) }

func (h *timerHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func (t *timers) Add(at time.Time, seid uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	heap.Push(&t.heap, timer{t.moment(at), seid})
}

// Take gives the sessions whose time has come.
func (t *timers) Take(now time.Time) (seids []uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for now := t.moment(now); len(t.heap) > 0 && t.heap[0].at <= now; {
		seids = append(seids, heap.Pop(&t.heap).(timer).seid)
	}
	return seids
}
