package traffic

// Share says which slots a source sends when several send by one schedule: a slot is that
// of the source that its session belongs to. So all packets of a session leave one source,
// in order and numbered without holes, also when another source is late. The zero value is
// that of a source that sends alone.
type Share struct {
	Source, Of int // which source it is, of how many; Of 0: 1
	// Lanes part the sessions of each flow, by its index: session i is of lane i modulo the
	// flow's, and lane l is that of source First + l modulo Of. With fewer lanes than sources
	// some of these send nothing of the flow. 0, or none: Of.
	Lanes []int
	// First is the source of each flow's lane 0, 0..Of-1; none: 0. Where a host sends one
	// direction alone its sources begin behind those of the other.
	First []int
}

// Several reports whether there are other sources.
func (s Share) Several() bool { return s.Of > 1 }

// LanesOf is how many lanes a flow has, at least 1.
func (s Share) LanesOf(flow int) int {
	if flow < len(s.Lanes) && s.Lanes[flow] > 0 {
		return s.Lanes[flow]
	}
	return max(s.Of, 1)
}

// FirstOf is the source of a flow's lane 0.
func (s Share) FirstOf(flow int) int {
	if flow < len(s.First) {
		return s.First[flow]
	}
	return 0
}

// Alone is the share of an engine that sends but one of the flows.
func (s Share) Alone(flow int) Share {
	s.Lanes, s.First = []int{s.LanesOf(flow)}, []int{s.FirstOf(flow)}
	return s
}

// Owns reports whether a session of a flow is the source's.
func (s Share) Owns(flow, session int) bool {
	return !s.Several() || s.Owner(flow, session) == s.Source
}

// Owner is the source that sends a session of a flow.
func (s Share) Owner(flow, session int) int {
	if !s.Several() {
		return 0
	}
	return (s.FirstOf(flow) + session%s.LanesOf(flow)) % s.Of
}

// Slots is how many of a trial's first n slots are the source's, after a warm-up of some
// slots. sessions is how many each flow has.
func (s Share) Slots(q Sequence, sessions []int, warmup, n uint64) (own uint64) {
	for flow := range sessions {
		from := q.Count(uint8(flow), warmup)
		to := from + q.Count(uint8(flow), n)
		own += s.turns(flow, sessions[flow], to) - s.turns(flow, sessions[flow], from)
	}
	return own
}

// turns is how many of a flow's first n packets are of the source's sessions.
func (s Share) turns(flow, sessions int, n uint64) uint64 {
	count := func(first int) (own uint64) {
		for session := range first {
			if s.Owns(flow, session) {
				own++
			}
		}
		return own
	}
	return n/uint64(sessions)*count(sessions) + count(int(n%uint64(sessions)))
}
