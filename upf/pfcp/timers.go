package pfcp

import (
	"cmp"
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/upflab/upflab/upf/session"
)

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

// planReport sets a timer for what is next due by time, by the rules that the session has. Its
// lock is held.
func (s *Server) planReport(one *pduSession, rules *session.Rules) {
	var next time.Time
	for i := range rules.URRs {
		u := &rules.URRs[i]
		st := one.usage.of(u.ID)
		if at := st.next(&u.Asked); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	at := s.timers.moment(next)
	if at != 0 && at != one.timer {
		s.timers.add(next, one.up)
	}
	one.timer = at
}

// runTimers reports what is due.
func (s *Server) runTimers(now time.Time) {
	for _, seid := range s.timers.take(now) {
		s.reportSession(seid, now)
	}
}

// reportSession reports what is due of a session, when it is still there.
func (s *Server) reportSession(seid uint64, now time.Time) {
	s.mu.Lock()
	one := s.sessions[seid]
	s.mu.Unlock()
	if one == nil {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if !one.rules.IsZero() {
		s.notify(one, now)
		s.reportDue(one, now)
	}
}

// tickEvery is how exact times are.
const tickEvery = 50 * time.Millisecond

// tick reports usage until ctx is done: by time, and where the datapath raises an
// alarm.
func (s *Server) tick(ctx context.Context, to write) {
	t := time.NewTicker(tickEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case seid := <-s.alarms:
			s.reportSession(seid, time.Now())
		case p := <-s.copies:
			s.sendCopies(p)
		case p := <-s.arrivals:
			s.hold(p, time.Now())
		case n := <-s.notices:
			s.answerNotice(n, time.Now())
		case now := <-t.C:
			s.runTimers(now)
			s.connect(now)
			for _, one := range s.dueRequests(now) {
				s.send(to, one.request, one.to)
			}
		}
	}
}

// alarm is the datapath's: a URR of the session reached a limit.
func (s *Server) alarm(seid uint64, _ uint32) {
	select {
	case s.alarms <- seid:
	default:
		s.timers.add(time.Now(), seid)
	}
}
