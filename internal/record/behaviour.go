package record

// Verdict is what a behaviour case found.
type Verdict string

// The verdicts.
const (
	VerdictEnforced       Verdict = "enforced"
	VerdictNotEnforced    Verdict = "not_enforced"    // accepted, and nothing was done
	VerdictRefused        Verdict = "refused"         // as it should be: it is not announced
	VerdictRefusedWrongly Verdict = "refused_wrongly" // although it is announced, or mandatory
	VerdictWrong          Verdict = "wrong"           // accepted, and something else was done
	VerdictDied           Verdict = "died"            // the UPF ended, or answers nothing any more
	VerdictNotApplicable  Verdict = "not_applicable"
)

// Verdicts lists them, the best first.
func Verdicts() []Verdict {
	return []Verdict{VerdictEnforced, VerdictRefused, VerdictNotApplicable, VerdictRefusedWrongly,
		VerdictNotEnforced, VerdictWrong, VerdictDied}
}

// Bad reports whether the verdict is a finding.
func (v Verdict) Bad() bool {
	switch v {
	case VerdictEnforced, VerdictRefused, VerdictNotApplicable:
		return false
	}
	return true
}

// Cause is one cause of a UPF's findings.
type Cause struct {
	Case    string `json:"case"`              // the finding that names it
	Symptom string `json:"symptom,omitempty"` // of that finding
	// Explains are the other findings that it explains, by their cases.
	Explains []string `json:"explains,omitempty"`
}

// Case is what one behaviour case found of a DUT.
type Case struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Clause  string  `json:"clause"`
	Verdict Verdict `json:"verdict"`
	Cause   string  `json:"cause"` // that the UPF gave: "73, Rule creation/modification Failure (FAR 7)"
	// Expected and Observed are of the first step that was not as it should be.
	Expected string `json:"expected"`
	Observed string `json:"observed"`
	Capture  string `json:"capture"` // file, relative to the result's folder
	// Symptom is what was not as it should be, in a word that is the same in all cases that saw it;
	// "": no other case sees the like.
	Symptom string `json:"symptom,omitempty"`
	// Attack is there where somebody meant harm.
	Attack *Attack `json:"attack,omitempty"`
	// Rate is there where a bit rate was limited, Usage where it was counted under load.
	Rate  *RateLimit `json:"rate_limit,omitempty"`
	Usage *Usage     `json:"usage,omitempty"`
	// Flows are there where QoS flows compete, Shown where what the UPF says of itself is audited.
	Flows []FlowShare `json:"flows,omitempty"`
	Shown []Shown     `json:"counters,omitempty"`
	// IPsec is there where its cost is measured.
	IPsec *IPsec `json:"ipsec,omitempty"`
}

// Attack is what inputs did to a UPF.
type Attack struct {
	Inputs    uint64  `json:"inputs"`
	PerSecond float64 `json:"inputs_per_second"` // while they were sent
	// Unread is how many of them the UPF's sockets had no room for.
	Unread uint64 `json:"inputs_unread"`
	// Answers are those to PFCP messages, Sessions what of them was established.
	Answers  uint64  `json:"answers"`
	Sessions uint64  `json:"sessions"`
	Ended    []Ended `json:"ended,omitempty"`
	// Before and After are at the end of the first quarter of the time and at the end, with
	// the sessions of the inputs deleted; 0: not known.
	MemoryBefore  uint64 `json:"memory_before_bytes,omitempty"`
	MemoryAfter   uint64 `json:"memory_after_bytes,omitempty"`
	FilesBefore   int    `json:"open_files_before,omitempty"`
	FilesAfter    int    `json:"open_files_after,omitempty"`
	ThreadsBefore int    `json:"threads_before,omitempty"`
	ThreadsAfter  int    `json:"threads_after,omitempty"`
	// RoomBefore and RoomAfter are how many of 200 sessions the UPF took before the inputs
	// and after them, with the sessions of the inputs deleted.
	RoomBefore int `json:"room_before,omitempty"`
	RoomAfter  int `json:"room_after,omitempty"`
	// Floods are rates of an attack, and what of the others' traffic is left.
	Floods []Flood `json:"floods,omitempty"`
}

// Ended is a way in which inputs ended a UPF.
type Ended struct {
	What  string `json:"what"`
	Times int    `json:"times"`
	// Inputs is how many it takes; they are in File, relative to the result's folder.
	Inputs int    `json:"inputs"`
	File   string `json:"file,omitempty"`
	// Repeatable: they do it to a fresh UPF, too.
	Repeatable bool `json:"repeatable"`
}

// Flood is legitimate users' traffic at one rate of an attack.
type Flood struct {
	OfferedPPS float64 `json:"offered_pps"` // of the attack
	SentPPS    float64 `json:"sent_pps"`
	LossRatio  float64 `json:"loss_ratio"`     // of the users' packets
	P50NS      float64 `json:"latency_p50_ns"` // of the users' packets
	P99NS      float64 `json:"latency_p99_ns"`
	Packets    uint64  `json:"packets"`   // the users' that were sent
	Reflected  uint64  `json:"reflected"` // packets that the UPF sent in answer to the attack
	// Amplification is how many octets the UPF sent for each of the attack's.
	Amplification float64 `json:"amplification"`
}

// Keeps reports whether there are files of inputs.
func (a *Attack) Keeps() bool { return a != nil && len(a.Ended) > 0 }

// RateLimit is how a maximum bit rate was enforced. Bits are those of T-PDUs.
type RateLimit struct {
	MBRBPS      float64 `json:"mbr_bps"`
	Octets      int     `json:"tpdu_octets"` // of each packet
	OfferedBPS  float64 `json:"offered_bps"`
	MeasuredBPS float64 `json:"measured_bps"` // in steady state
	Error       float64 `json:"error"`        // MeasuredBPS / MBRBPS - 1
	SteadyS     float64 `json:"steady_seconds"`
	// DisturbedS is for how long a CPU of the run was taken from it; that does not count.
	DisturbedS float64 `json:"disturbed_seconds"`
	// Void: so little was undisturbed that everything counts all the same.
	Void bool `json:"disturbed_void,omitempty"`
	// BurstOctets passed at once, over the rate, after a silence of a second; negative: not known,
	// since the machine was disturbed meanwhile.
	BurstOctets float64 `json:"burst_octets"`
	// FirstLossS is how long it took from the first packet until one was dropped.
	FirstLossS float64 `json:"first_loss_seconds"`
	// ConvergeS is from the first packet until what passes is MeasuredBPS within 0.5 %, over
	// ConvergeWindowS; 0: at once, negative: never.
	ConvergeS       float64 `json:"converge_seconds"`
	ConvergeWindowS float64 `json:"converge_window_seconds"`
	LossRatio       float64 `json:"loss_ratio"`
	LossRun         float64 `json:"loss_run_mean"` // packets lost one after the other
	LossRunMax      int     `json:"loss_run_max"`
	// Latency at half of the rate, and above it.
	BelowP50NS float64 `json:"below_p50_ns"`
	AboveP50NS float64 `json:"above_p50_ns"`
	AboveP99NS float64 `json:"above_p99_ns"`
}

// FlowShare is what a QoS flow got where several compete.
type FlowShare struct {
	QFI        uint8   `json:"qfi"`
	GBRBPS     float64 `json:"gbr_bps"` // 0: none
	MBRBPS     float64 `json:"mbr_bps"` // 0: none
	OfferedBPS float64 `json:"offered_bps"`
	PassedBPS  float64 `json:"passed_bps"`
	LossRatio  float64 `json:"loss_ratio"`
}

// Shown is an account that a UPF gives of itself, over the packets of a case.
type Shown struct {
	Name  string  `json:"name"` // of the counter, or what of a usage report
	By    string  `json:"by"`   // "N4", "Prometheus" or "REST"
	Value float64 `json:"value"`
	// Means is what it claims to count, and Ledger what the bench counted of that: where packets were lost, the number
	// nearest to Value between what arrived and what was sent.
	Means      string  `json:"means"`
	Ledger     float64 `json:"ledger"`
	Difference float64 `json:"difference"` // Value - Ledger
	// Error is the Difference as a part of the Ledger.
	Error float64 `json:"error"`
	Grade Grade   `json:"grade"`
	// Note is why it could not be read.
	Note string `json:"note,omitempty"`
}

// Grade is how true an account is.
type Grade string

// The grades.
const (
	GradeExact  Grade = "exact"
	GradeNear   Grade = "near"   // within 5 %
	GradeWrong  Grade = "wrong"  // not even that
	GradeAbsent Grade = "absent" // the UPF gives none, or none that upflab knows of
)

// IPsec is the UPF's CPU time a packet that arrives, with the kernel's for it, in turns with ESP on N3 and without. It is of
// packets in both directions.
type IPsec struct {
	SealedNS []float64 `json:"sealed_ns"`
	ClearNS  []float64 `json:"clear_ns"`
}

// Usage is what a URR counted and when it said so.
type Usage struct {
	SentOctets    uint64  `json:"sent_octets"`
	ArrivedOctets uint64  `json:"arrived_octets"`
	CountedOctets uint64  `json:"counted_octets"`
	Reports       int     `json:"reports"`
	OverOctets    int64   `json:"over_octets"`   // that arrived beyond a quota
	DelaySeconds  float64 `json:"delay_seconds"` // from the packet that reaches a threshold to the report
	// NonDropPPS and LoadPPS are the highest rate without loss that short trials found, and
	// the rate that was counted; 0 where that is fixed.
	NonDropPPS float64 `json:"non_drop_pps,omitempty"`
	LoadPPS    float64 `json:"load_pps,omitempty"`
}
