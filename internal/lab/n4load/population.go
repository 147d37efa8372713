package n4load

import (
	"github.com/upflab/upflab/internal/lab/smf"
)

// member is a session of the load, and its state.
type member struct {
	smf.Established
	state          state
	moved, limited bool
}

// teid is the present downlink TEID of the session.
func (m *member) teid() uint32 {
	if m.moved {
		return m.DownlinkTEID + 1
	}
	return m.DownlinkTEID
}

// population holds the sessions of a load by state. Of those in a state, the one that has been there the
// longest is taken first.
type population struct {
	members []member
	queues  [states]queue
}

func newPopulation(sessions []smf.Session) *population {
	p := &population{members: make([]member, len(sessions))}
	for i := range sessions {
		p.members[i].Session = sessions[i]
		p.queues[gone].push(int32(i))
	}
	return p
}

// take takes a session in a state, nil when there is none, and makes it busy.
func (p *population) take(s state) *member {
	i, ok := p.queues[s].pop()
	if !ok {
		return nil
	}
	p.members[i].state = busy
	return &p.members[i]
}

// put puts a session into a state.
func (p *population) put(m *member, s state) {
	m.state = s
	if s == gone {
		m.moved, m.limited = false, false
	}
	if s != busy && s != unknown {
		p.queues[s].push(int32(m.Index))
	}
}

// count returns how many sessions are in a state.
func (p *population) count(s state) int { return p.queues[s].len() }

// queue is a first-in first-out queue of numbers, in a ring that grows.
type queue struct {
	ring        []int32
	first, size int
}

func (q *queue) len() int { return q.size }

func (q *queue) push(v int32) {
	if q.size == len(q.ring) {
		q.grow()
	}
	q.ring[(q.first+q.size)%len(q.ring)] = v
	q.size++
}

func (q *queue) grow() {
	bigger := make([]int32, max(16, 2*len(q.ring)))
	for i := range q.size {
		bigger[i] = q.ring[(q.first+i)%len(q.ring)]
	}
	q.ring, q.first = bigger, 0
}

func (q *queue) pop() (int32, bool) {
	if q.size == 0 {
		return 0, false
	}
	v := q.ring[q.first]
	q.first = (q.first + 1) % len(q.ring)
	q.size--
	return v, true
}
