package queueing

// sleeper is a server that falls asleep after a time without packets (an idle
// CPU in a deep C-state, an interrupt that waits for more, a poll loop that
// ended) and needs a time to wake up. Both times are exponential, seconds. With
// more load it sleeps less, so latency falls before it rises.
type sleeper struct{ wake, patience float64 }

// wakeup is M/M/1/K with such a server: M/M/1 with setup times (Adan and Resing
// 11), patience, and room for k. Waking is a geometric number of stages of rate
// mu, so wake is taken as at least one service.
func wakeup(load, mu float64, s sleeper, k int) (law, float64) {
	q := newSleeperQueue(load, mu, s, k)
	weights := withGeometric(q.asleep[:len(q.asleep)-1], max(s.wake*mu, 1))
	for n, p := range q.awake[:len(q.awake)-1] {
		weights[n] += p
	}
	return newStages(mu, weights), q.full()
}

// sleeperQueue is the shares of time, not normalized, with n packets inside
// while the server is awake, and while it sleeps or wakes.
type sleeperQueue struct {
	awake, asleep []float64
	room          int
}

// newSleeperQueue solves the balance of states and the cuts between n and n+1
// packets; all terms are positive. It ends early where the tail is negligible.
func newSleeperQueue(load, mu float64, s sleeper, k int) sleeperQueue {
	wakes := 1 / max(s.wake, 1/mu)
	asleep := 1 / (s.patience * load)
	q := sleeperQueue{awake: []float64{1}, asleep: []float64{asleep}, room: k}
	sum := 1 + asleep
	for n := 0; n < k; n++ {
		leave := wakes
		if n+1 < k {
			leave += load
		}
		next := q.asleep[n] * load / leave
		busy := load * (q.awake[n] + q.asleep[n]) / mu
		q.asleep, q.awake = append(q.asleep, next), append(q.awake, busy)
		sum += next + busy
		if next+busy < 1e-14*sum && load < mu {
			break
		}
		if sum > 1e200 {
			scale(q.asleep, 1e-200)
			scale(q.awake, 1e-200)
			sum *= 1e-200
		}
	}
	return q
}

// full is the share of time without room.
func (q sleeperQueue) full() float64 {
	if len(q.awake) <= q.room {
		return 0
	}
	sum := 0.0
	for n := range q.awake {
		sum += q.awake[n] + q.asleep[n]
	}
	return (q.awake[q.room] + q.asleep[q.room]) / sum
}

// withGeometric adds to each number of stages a geometric one of the given
// mean, 1 or more: an exponential time that is longer than a stage.
func withGeometric(weights []float64, mean float64) []float64 {
	stay, out := 1-1/mean, make([]float64, 1, 2*len(weights))
	last := 0.0
	for j := 0; j < len(weights) || last > 1e-16; j++ {
		last *= stay
		if j < len(weights) {
			last += weights[j] / mean
		}
		out = append(out, last)
	}
	return out
}
