package record

// ControlPlane is what a UPF's N4 does under load.
type ControlPlane struct {
	// Sessions are those that procedures worked on, Bystanders those that had user traffic
	// and that no procedure touched.
	Sessions   int `json:"sessions"`
	Bystanders int `json:"bystanders"`
	// BenchPerS is the rate of modifications, messages/s, that upflab's own SMF reached
	// against a responder that keeps nothing: rates near it are the bench's.
	BenchPerS float64          `json:"bench_per_s"`
	Rates     []ProcedureRate  `json:"rates,omitempty"`
	Loads     []ProcedureLoad  `json:"loads,omitempty"`
	Capacity  *SessionCapacity `json:"capacity,omitempty"`
	Beside    []BesideTraffic  `json:"beside_traffic,omitempty"`
	Scales    []RuleScale      `json:"scales,omitempty"`
	// Incidents are what ended a part: the UPF died, or answered no more.
	Incidents []N4Incident `json:"incidents,omitempty"`
}

// The goals of a ProcedureRate.
const (
	RateMax = "max" // nearly all accepted
	RateP99 = "p99" // and 99 of 100 within P99LimitNS
)

// ProcedureRate is the highest rate of a procedure that a search found.
type ProcedureRate struct {
	Procedure  string  `json:"procedure"` // "establish", "modify", "delete", "mix" ...
	Goal       string  `json:"goal"`      // RateMax | RateP99
	P99LimitNS float64 `json:"p99_limit_ns,omitempty"`
	// LossRatio is what may be refused, unanswered or (of RateP99) late, 0..1.
	LossRatio float64 `json:"loss_ratio"`
	// PerS is the rate, procedures/s; 0: none was found. AtLeast: no higher one was tried,
	// or the bench's own limit is near.
	PerS    float64 `json:"per_s"`
	AtLeast bool    `json:"at_least,omitempty"`
	// P50NS and P99NS are the answer latency at that rate, from when a procedure was due.
	P50NS   uint64   `json:"p50_ns,omitempty"`
	P99NS   uint64   `json:"p99_ns,omitempty"`
	Trials  int      `json:"trials"`
	Valid   bool     `json:"valid"`
	Reasons []string `json:"reasons,omitempty"`
	// Above is what the UPF did at the lowest rate that broke the goal.
	Above *ProcedureLoad `json:"above,omitempty"`
}

// ProcedureLoad is procedures at one rate.
type ProcedureLoad struct {
	Procedure  string            `json:"procedure"`
	Arrivals   string            `json:"arrivals"` // "constant" | "poisson"
	PerS       float64           `json:"offered_per_s"`
	Share      float64           `json:"share,omitempty"` // of the highest rate
	DurationS  float64           `json:"duration_s"`
	Sent       uint64            `json:"sent"`
	Done       uint64            `json:"done"`
	Refused    uint64            `json:"refused"`
	Unanswered uint64            `json:"unanswered"` // within 1 s
	Causes     map[string]uint64 `json:"causes,omitempty"`
	// Latency counts from when a procedure was due to its last answer; FromSend from its
	// first message.
	Latency  *Latency `json:"latency_ns,omitempty"`
	FromSend *Latency `json:"latency_from_send_ns,omitempty"`
	// Answers are of single messages, from sending one to when the kernel took its answer: the
	// UPF's time without the SMF's.
	Answers *Latency `json:"answer_ns,omitempty"`
	// Parts are the procedures of a mix.
	Parts []ProcedurePart `json:"parts,omitempty"`
	CPU   float64         `json:"dut_cores,omitempty"`
}

// ProcedurePart is one procedure of a mix.
type ProcedurePart struct {
	Procedure string `json:"procedure"`
	Sent      uint64 `json:"sent"`
	Done      uint64 `json:"done"`
	Refused   uint64 `json:"refused"`
	P50NS     uint64 `json:"p50_ns,omitempty"`
	P99NS     uint64 `json:"p99_ns,omitempty"`
}

// Why a SessionCapacity ended.
const (
	CapacityBound   = "bound"   // as many as were to be tried
	CapacityRefused = "refused" // by the UPF, with a cause
	CapacitySilent  = "silent"  // the UPF did not answer any more
	CapacityDied    = "died"
	CapacityTime    = "time" // the time for it was over
)

// SessionCapacity is sessions established until that ends, and then torn down (after RFC
// 9693: table capacity, establishment rate, tear-down rate).
type SessionCapacity struct {
	Room     int            `json:"configured_for"` // sessions that the UPF was configured for
	Bound    int            `json:"bound"`
	Sessions int            `json:"sessions"` // reached
	Ended    string         `json:"ended"`
	Why      string         `json:"why,omitempty"`
	Window   int            `json:"window"` // requests that waited for their answers at once
	Steps    []CapacityStep `json:"steps,omitempty"`
	// BytesPerSession is the slope of memory over sessions; Slowdown is the time for a session in
	// the last step over that in the first.
	BytesPerSession float64 `json:"bytes_per_session,omitempty"`
	Slowdown        float64 `json:"slowdown,omitempty"`
	// EstablishPerS is over all steps, sessions/s, TearDownPerS of deleting them all.
	EstablishPerS   float64 `json:"establish_per_s"`
	TearDownPerS    float64 `json:"tear_down_per_s,omitempty"`
	TearDownSeconds float64 `json:"tear_down_s,omitempty"`
	TornDown        int     `json:"torn_down,omitempty"`
	TearDownWhy     string  `json:"tear_down_why,omitempty"`
	MemoryAfter     uint64  `json:"memory_after_bytes,omitempty"`
}

// CapacityStep is some sessions more.
type CapacityStep struct {
	Sessions    int     `json:"sessions"` // in all, after it
	PerS        float64 `json:"per_s"`
	P99NS       uint64  `json:"p99_ns"`
	MemoryBytes uint64  `json:"memory_bytes,omitempty"`
}

// The kinds of BesideTraffic.
const (
	BesideNobody = "alone" // no procedure
	BesideBench  = "bench" // procedures to a responder of upflab's: what the bench itself disturbs
	BesideUPF    = "upf"   // procedures to the UPF
)

// BesideTraffic is user traffic of sessions that procedures did not change, while those on other
// sessions ran.
type BesideTraffic struct {
	Direction Direction `json:"direction"`
	Share     float64   `json:"share"` // of CarriedPPS
	// CarriedPPS is what the DUT carries with at most 0.5 % of loss, packets/s.
	CarriedPPS float64 `json:"carried_pps"`
	With       string  `json:"with"` // BesideNobody ...
	PerS       float64 `json:"offered_per_s,omitempty"`
	// Of the user traffic.
	LoadPPS        float64  `json:"offered_pps"`
	DurationS      float64  `json:"duration_s"`
	TxPackets      uint64   `json:"tx_packets"`
	Lost           uint64   `json:"lost"`
	FrameLossRatio float64  `json:"frame_loss_ratio"`
	P50NS          uint64   `json:"p50_ns"`
	P99NS          uint64   `json:"p99_ns"`
	MaxNS          uint64   `json:"max_ns"`
	Reordered      uint64   `json:"reordered"`
	Duplicates     uint64   `json:"duplicates"`
	Wrong          uint64   `json:"wrong"`
	BlockedS       float64  `json:"blocked_s"` // lost / offered load
	Valid          bool     `json:"valid"`
	Reasons        []string `json:"reasons,omitempty"`
	// Procedures is what became of them.
	Procedures *ProcedureLoad `json:"procedures,omitempty"`
}

// The kinds of RuleScale.
const (
	ScalePDRs     = "pdrs"
	ScaleSessions = "sessions"
	ScaleGNBs     = "gnbs"
)

// RuleScale is packets/s against the number of PDRs of a session, of sessions, or of gNBs.
type RuleScale struct {
	What      string    `json:"what"` // ScalePDRs | ScaleSessions | ScaleGNBs
	N         int       `json:"n"`
	Direction Direction `json:"direction"`
	RxPPS     float64   `json:"rx_pps"`
	LimitedBy Limit     `json:"limited_by"`
	Valid     bool      `json:"valid"`
	// Queues is what each receive queue of the UPF's ports took, where a port has several.
	Queues []QueueUse `json:"queues,omitempty"`
	// Why it was not measured: the UPF refused the rules, or its packets did not pass.
	Why string `json:"why,omitempty"`
}

// N4Incident is a part of the study that a UPF did not survive.
type N4Incident struct {
	During string `json:"during"`
	Died   bool   `json:"died"`
	Why    string `json:"why"`
}

// N4Finding is a fault of a UPF that the SMF's side saw on N4: something that
// TS 29.244 does not allow, or a request that had to be sent again.
type N4Finding struct {
	Code    string `json:"code"`    // the kind: "answer_seid_wrong" ...
	Count   uint64 `json:"count"`   // in all visits
	Example string `json:"example"` // the first one
}

// AddN4 adds what a visit found to what earlier ones did, by code.
func AddN4(list, more []N4Finding) []N4Finding {
	for _, f := range more {
		at := 0
		for at < len(list) && list[at].Code != f.Code {
			at++
		}
		if at == len(list) {
			list = append(list, f)
			continue
		}
		list[at].Count += f.Count
	}
	return list
}
