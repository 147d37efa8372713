package impair

// Ledger is what was done, as GET /ledger gives it. Every packet of the user
// plane is in it: received are those forwarded, less copies, those lost, and
// those inside.
type Ledger struct {
	Uplink   Side `json:"uplink"`
	Downlink Side `json:"downlink"`
	// Refused are the packets lost to the rules, by datapath.Reason's name.
	Refused map[string]uint64 `json:"refused,omitempty"`
}

// Side is one direction.
type Side struct {
	// Missed are the frames of whatever kind for which the receiving port's ring
	// had no room: they never arrived.
	Missed uint64 `json:"missed"`
	Totals Counts `json:"totals"`
	// Trials are the accounts by the trial number in the packets' signatures,
	// in the order in which the trials began; 0 is that of packets without one.
	// The oldest are forgotten beyond 32.
	Trials []Trial `json:"trials,omitempty"`
}

// Counts are numbers of packets.
type Counts struct {
	Received   uint64            `json:"received"`   // of the user plane, from the ring
	Forwarded  uint64            `json:"forwarded"`  // frames sent, with copies
	Lost       map[string]uint64 `json:"lost"`       // by cause: one of Causes
	Duplicated uint64            `json:"duplicated"` // copies sent
	Reordered  uint64            `json:"reordered"`  // RFC 4737 clause 3.3, at the output, of those neither copies nor damaged
	Corrupted  uint64            `json:"corrupted"`  // frames sent with a flipped octet
	WrongTEID  uint64            `json:"wrong_teid"` // frames sent with another TEID
	// Marked of those in Right got the mark of congestion (RFC 3168 clause 5).
	Marked uint64 `json:"ce_marked"`
	// Right are packets of which a frame was sent as the rules ask.
	Right uint64 `json:"right"`
}

// Trial is the account of one trial.
type Trial struct {
	Trial uint16 `json:"trial"`
	Counts
	// QueueMax is the most packets that waited or were served.
	QueueMax int `json:"queue_max"`
	// Delay is departure - arrival of every packet sent, copies left out.
	Delay Distribution `json:"delay_ns"`
	// Latency is departure - intended send time, by the packets' signatures, of
	// those counted by Right.
	Latency Distribution `json:"latency_ns"`
	// DelayJitterNS and SendJitterNS are RFC 3550 clause 6.4.1's estimate, mean
	// over the packets counted by Right, of departure - arrival and of departure
	// - send time.
	DelayJitterNS float64 `json:"delay_jitter_ns"`
	SendJitterNS  float64 `json:"send_jitter_ns"`
}

// Distribution is of durations in ns. Quantiles are of nearest rank and at most
// 1/512 too great; the buckets are 64 for each power of two.
type Distribution struct {
	Count   uint64   `json:"count"`
	Min     uint64   `json:"min"`
	Mean    float64  `json:"mean"`
	P50     uint64   `json:"p50"`
	P90     uint64   `json:"p90"`
	P99     uint64   `json:"p99"`
	P999    uint64   `json:"p999"`
	Max     uint64   `json:"max"`
	Buckets []Bucket `json:"buckets,omitempty"`
}

// Bucket counts durations in (the previous bound, UpTo].
type Bucket struct {
	UpTo  uint64 `json:"le"`
	Count uint64 `json:"n"`
}

// Find gives a trial's account.
func (s Side) Find(trial uint16) (Trial, bool) {
	for _, t := range s.Trials {
		if t.Trial == trial {
			return t, true
		}
	}
	return Trial{}, false
}

// cause is why a packet was lost.
type cause int

const (
	causeLoss    cause = iota // the parameter
	causePolicer              // too few tokens for its octets
	causeQueue                // no room before the server
	causeRules                // the session's rules, or none
	causeMemory               // more packets inside than there are buffers for
	causeEgress               // the kernel did not take the frame
	causes
)

// Causes are the names of the causes of loss, in the ledger.
func Causes() []string { return []string{"loss", "mbr", "queue", "rules", "memory", "egress"} }
