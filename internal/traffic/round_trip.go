package traffic

// RoundTrips are what became of packets that were sent back, through the UPF, by the host
// at which they arrived. They are timed by the clock of the host that sent them.
type RoundTrips struct {
	Turned  uint64    // packets sent back
	StayNS  uint64    // the sum of how long they were at that host, ns, by its clock
	Returns Histogram // ns from when a packet was due until it was back, without its stay
}

// Merge adds those that another sink counted: one sends packets back, another sees them return.
func (r *RoundTrips) Merge(other *RoundTrips) {
	r.Turned += other.Turned
	r.StayNS += other.StayNS
	r.Returns.Merge(&other.Returns)
}

// Returner is a sink that can send packets back where they came from.
type Returner interface {
	Sink
	// SendBack has it send back a sample of the packets of the trials to come: one in so
	// many, a power of two; 0: none.
	SendBack(every uint32) error
}
