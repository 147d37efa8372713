package queueing

// server is the state of a simulated queue, times in ns.
type server struct {
	Simulation
	leaves  []float64 // a ring of when the last packets leave, one per place
	next    int
	free    float64 // when the server has done all it has
	polled  float64 // when the poll that goes on began to collect
	inPoll  int
	started bool
}

func newServer(s Simulation) *server {
	return &server{Simulation: s, leaves: make([]float64, s.QueuePackets)}
}

// take says when a packet leaves; false is lost, because all places are taken.
func (s *server) take(now, service float64) (leaves float64, ok bool) {
	if s.full(now) {
		return 0, false
	}
	begin := s.begin(now)
	s.free = begin + service
	if s.QueuePackets > 0 {
		s.leaves[s.next] = s.free
		s.next = (s.next + 1) % s.QueuePackets
	}
	s.started = true
	return s.free, true
}

// full looks at the packet that was taken as many packets ago as there is room:
// packets leave in order.
func (s *server) full(now float64) bool {
	return s.QueuePackets > 0 && s.leaves[s.next] > now
}

// begin is when the service of a packet begins that arrived now.
func (s *server) begin(now float64) float64 {
	idle := now - s.free
	if idle >= 0 {
		begin := now
		if s.started && s.WakeNS > 0 && idle >= s.PatienceNS {
			begin += s.WakeNS
		}
		return s.poll(begin)
	}
	if s.PollNS > 0 && (now > s.polled || s.inPoll == s.PollPackets) {
		return s.poll(s.free)
	}
	s.inPoll++
	return s.free
}

// poll starts one that collects what has arrived at the time given.
func (s *server) poll(at float64) float64 {
	s.polled, s.inPoll = at, 1
	return at + s.PollNS
}
