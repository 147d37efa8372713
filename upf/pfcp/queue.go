package pfcp

import (
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/upflab/upflab/pfcp"
)

// datagram is one that was received.
type datagram struct {
	octets []byte
	from   netip.AddrPort
}

// Bounds of what waits, and how many requests are worked on at once.
const (
	queueCount  = 4
	queueLength = 8192
	queueOctets = 16 << 20 // of all queues
)

// queues hand requests to goroutines. Those about one session, and copies of one
// request, stay in order: they share a queue.
type queues struct {
	each    [queueCount]chan datagram
	octets  atomic.Int64
	working sync.WaitGroup
}

func newQueues(handle func(datagram)) *queues {
	q := &queues{}
	for i := range q.each {
		q.each[i] = make(chan datagram, queueLength)
		q.working.Go(func() {
			for d := range q.each[i] {
				handle(d)
				q.octets.Add(-int64(len(d.octets)))
			}
		})
	}
	return q
}

// put queues a copy of the datagram; false when too much waits.
func (q *queues) put(h pfcp.Header, d datagram) bool {
	size := int64(len(d.octets))
	if q.octets.Add(size) > queueOctets {
		q.octets.Add(-size)
		return false
	}
	d.octets = slices.Clone(d.octets)
	select {
	case q.each[queueOf(h)] <- d:
		return true
	default:
		q.octets.Add(-size)
		return false
	}
}

// queueOf spreads requests by session, and those without one by number.
func queueOf(h pfcp.Header) int {
	key := h.SEID
	if key == 0 {
		key = uint64(h.Sequence)
	}
	return int(key % queueCount)
}

// close ends the goroutines when they have handled what waits.
func (q *queues) close() {
	for _, c := range q.each {
		close(c)
	}
	q.working.Wait()
}
