package traffic

import "sync"

// meeting is where a number of goroutines wait for each other. Before they go on, do
// is called, once. Who leaves is not waited for; when all leave, do is not called.
type meeting struct {
	mu      sync.Mutex
	missing int
	arrived bool // anybody
	do      func()
	over    chan struct{}
}

func newMeeting(members int, do func()) *meeting {
	return &meeting{missing: members, do: do, over: make(chan struct{})}
}

// member is one of those who are waited for.
type member struct {
	meeting *meeting
	once    sync.Once
}

func (m *meeting) join() *member { return &member{meeting: m} }

// arrive waits for the others.
func (m *member) arrive() {
	m.once.Do(func() { m.meeting.count(true) })
	<-m.meeting.over
}

// leave is for who does not arrive, or has arrived already.
func (m *member) leave() { m.once.Do(func() { m.meeting.count(false) }) }

func (m *meeting) count(arrived bool) {
	m.mu.Lock()
	m.missing--
	m.arrived = m.arrived || arrived
	last, call := m.missing == 0, m.arrived && m.do != nil
	m.mu.Unlock()
	if !last {
		return
	}
	if call {
		m.do()
	}
	close(m.over)
}
