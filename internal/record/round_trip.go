package record

// RoundTrip is how long packets took from the host that sends them through the UPF to the host
// where they arrive, and from there back through the UPF in the other direction. It is timed by
// the clock of the host that sends, so that it needs no other: where hosts have clocks of their
// own it is measured with one-way delays, and shown where those cannot be. It is of a sample of
// the trial's packets, of the whole trial, whatever was excluded of it.
type RoundTrip struct {
	// First is the direction in which packets were sent; they came back in the other.
	First Direction `json:"first"`
	// Latency counts from the intended send time, without the time at the far host; nil: no
	// packet came back.
	Latency *Latency `json:"latency_ns"`
	// SentBack are the packets that arrived and were sent back; Lost of them did not come.
	SentBack uint64 `json:"sent_back"`
	Lost     uint64 `json:"lost"`
	// StayNS is the mean time at the far host, by its own clock, which is not in Latency, ns.
	StayNS float64 `json:"stay_ns"`
}
