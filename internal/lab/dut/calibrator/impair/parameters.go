package impair

import "time"

// Plan is what the device does to packets, by direction.
type Plan struct{ Uplink, Downlink Parameters }

// Parameters is what it does to those of one direction. The zero value does
// nothing to them.
type Parameters struct {
	// Loss, Duplicate, Reorder, Corrupt, WrongTEID and CE say to which packets it
	// happens. A packet that is corrupted does not get a wrong TEID as well;
	// copies share the fate of their originals. CE is the mark of congestion, of packets
	// that are ECT (RFC 3168 clause 5).
	Loss, Duplicate, Reorder, Corrupt, WrongTEID, CE Chance
	// Depth is behind how many packets a reordered one is put, 1..64; 1 when 0.
	Depth int

	// Delay is added to each packet, 0..10 s, Jitter to some: uniform in
	// Delay-Jitter..Delay+Jitter, or normal with Jitter as standard deviation
	// and cut off at 0. The order of the packets is kept.
	Delay, Jitter time.Duration
	Distribution  Shape

	// Rate is that of the one server that all packets pass, packets/s,
	// 1..10 000 000; 0 for none. Service is the distribution of its times.
	Rate    float64
	Service Service
	// Queue is how many packets have room before and in the server, 1..65536;
	// DefaultQueue when 0. One that arrives and finds none is lost.
	Queue int
	// Batch is how many packets at most the server takes at once, 1..256; they
	// leave together after as many service times. 1 when 0.
	Batch int

	// MBR is the rate of a token bucket that T-PDUs pass before the server, bit/s,
	// 1e3..100e9; 0 for none. Bucket is its depth, octets, 1..1e9; 5 ms of the rate, and
	// 20 000 at least, when 0. A T-PDU for which there are too few tokens is lost.
	MBR    float64
	Bucket int

	// Stall is when nothing leaves.
	Stall Stall

	// Seed of the random sequences; 1 when 0.
	Seed uint64
}

// DefaultQueue is a queue's size when none is given: that of a veth's ring.
const DefaultQueue = 256

// Chance says to which packets something happens: to each with probability P
// (0..1), or to every n-th, beginning with packet n. The zero value means none.
type Chance struct {
	P     float64
	Every uint64
}

// Never reports whether it happens to none.
func (c Chance) Never() bool { return c == Chance{} }

// Stall is a pause For at the end of each Period, which counts from when the
// datapath was opened. 0 < For < Period, or both are 0.
type Stall struct{ For, Period time.Duration }

// Shape is the distribution of delays.
type Shape string

// The shapes; "" is Uniform.
const (
	Uniform Shape = "uniform"
	Normal  Shape = "normal"
)

// Service is the distribution of service times.
type Service string

// The services; "" is Constant.
const (
	Constant    Service = "constant"
	Exponential Service = "exponential"
)

func (p Parameters) withDefaults() Parameters {
	if p.Queue == 0 {
		p.Queue = DefaultQueue
	}
	p.Depth, p.Batch, p.Seed = max(p.Depth, 1), max(p.Batch, 1), max(p.Seed, 1)
	return p
}
