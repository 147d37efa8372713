package traffic

import "sync"

// agreement is where sources that share a schedule agree on when their trial begins: the
// latest of the times at which they could.
type agreement struct {
	meeting *meeting
	mu      sync.Mutex
	first   uint64
}

func newAgreement(sources []Source) *agreement {
	n := 0
	for _, s := range sources {
		if shares(s) {
			n++
		}
	}
	return &agreement{meeting: newMeeting(n, nil)}
}

// shares reports whether a source sends by a schedule by which others do, too.
func shares(s Source) bool { return s.Share().Several() }

// join gives a source's Marks.Agree, nil where it agrees with nobody, and what is called
// when it has ended.
func (a *agreement) join(s Source) (agree func(uint64) uint64, leave func()) {
	if !shares(s) {
		return nil, func() {}
	}
	member := a.meeting.join()
	return func(first uint64) uint64 {
		a.ask(first)
		member.arrive()
		return a.first
	}, member.leave
}

func (a *agreement) ask(first uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.first = max(a.first, first)
}
