package behaviour

import (
	"slices"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
)

// Users is what became of packets that were sent at a rate.
type Users struct {
	Sent, Lost uint64
	// Latencies are from each packet's sending to its reading at the other end's packet
	// socket, in user space at both ends, sorted.
	Latencies []time.Duration
	// Fates are those of the packets, in the order in which they were sent.
	Fates []Fate
}

// Fate is what became of a packet.
type Fate struct {
	Octets int // of the T-PDU
	Flow   int // of a stream
	Up     bool
	// Disturbed: a CPU of the run was taken from its work when the packet was sent.
	Disturbed bool
	// Late: the sender had paused, and catches up.
	Late          bool
	Sent, Arrived time.Time // Arrived is zero of one that was lost
}

// Quantile is a latency, 0 when nothing arrived.
func (u *Users) Quantile(q float64) time.Duration {
	if len(u.Latencies) == 0 {
		return 0
	}
	return u.Latencies[min(int(q*float64(len(u.Latencies))), len(u.Latencies)-1)]
}

// Observe sends packets in turn at a rate for a time, and says what became of them. It
// judges nothing.
func (t *traffic) Observe(list []Packet, pps int, d time.Duration) (Users, error) {
	begin := time.Now()
	return t.observe(list, pps, func(int) bool { return time.Since(begin) < d })
}

// Count is Observe for so many packets that are alike.
func (t *traffic) Count(p Packet, packets, pps int) (Users, error) {
	return t.observe([]Packet{p}, pps, func(sent int) bool { return sent < packets })
}

// observe sends as long as more says so.
func (t *traffic) observe(list []Packet, pps int, more func(sent int) bool) (u Users, err error) {
	var sent []Sent
	var at []time.Time
	for due := time.Now(); more(len(sent)) && t.Ctx.Err() == nil; {
		due = t.pace(due, pps)
		now := time.Now()
		s, err := t.SendOne(&list[len(sent)%len(list)])
		if err != nil {
			return u, err
		}
		sent, at = append(sent, s), append(at, now)
	}
	t.Inbox.Await(t.Ctx, time.Second, func() bool { return t.complete(sent) })
	for i, s := range sent {
		u.Sent++
		got := t.Inbox.Of(s.Number)
		fate := Fate{Octets: len(s.ip), Up: s.Up, Sent: at[i]}
		if len(got) == 0 {
			u.Lost++
			u.Fates = append(u.Fates, fate)
			continue
		}
		fate.Arrived = got[0].At
		u.Fates = append(u.Fates, fate)
		u.Latencies = append(u.Latencies, got[0].At.Sub(at[i]))
	}
	slices.Sort(u.Latencies)
	return u, t.Ctx.Err()
}

// Unasked counts the packets without a mark that arrived at N3 so far, and their octets:
// what the UPF sends of its own.
func (t *traffic) Unasked() inbox.Count {
	return t.Inbox.Unasked()
}
