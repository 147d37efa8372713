// Package record is the schema of what a run leaves behind, result.json, and
// its store on disk. Names in JSON are stable: a reader of "upflab.result/v1"
// may rely on them; new ones may be added.
package record

import (
	"cmp"
	"slices"
	"time"
)

// Schema names the version of the format.
const Schema = "upflab.result/v1"

// Result is one run: a scenario, the host it ran on, and what each DUT did.
type Result struct {
	Schema   string    `json:"schema"`
	Run      string    `json:"run"`      // the run's short id, as in its namespaces' names
	Scenario string    `json:"scenario"` // name
	Title    string    `json:"title,omitempty"`
	Study    *Study    `json:"study,omitempty"`
	Settings string    `json:"settings"` // the effective scenario as YAML: with it the run can be repeated
	Command  []string  `json:"command"`  // the command line
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// Complete is false when the run was interrupted or a DUT failed to come up.
	Complete bool     `json:"complete"`
	Notes    []string `json:"notes,omitempty"` // doubts about the run as a whole
	Tool     Tool     `json:"tool"`
	Host     Host     `json:"host"`
	Engine   Engine   `json:"engine"`
	// Families are those of all UEs of the run: of cases, incidents and procedures, too.
	Families
	// Neighbours are other runs of upflab that were under way on Host meanwhile: they disturb each other's numbers.
	Neighbours []Neighbour `json:"neighbours,omitempty"`
	// Hosts are those that took part besides Host, which has the UPF; none: it was alone.
	Hosts []Member `json:"hosts,omitempty"`
	// GNBs are the N3 addresses of the gNBs that Host itself is, where these are several.
	GNBs []string `json:"gnbs,omitempty"`
	// Cluster is the Kubernetes cluster whose pods measured; nil: none.
	Cluster *Cluster `json:"cluster,omitempty"`
	// VM is the virtual machine that the run booted and measured in; nil: none.
	VM *VM `json:"vm,omitempty"`
	// Order is that of the visits; nil: there were none in turn, or the result is older.
	Order *Order `json:"order,omitempty"`
	// Until is how a run ended that made repeats until something was known; nil: their number was settled.
	Until *Until `json:"until,omitempty"`
	DUTs  []DUT  `json:"duts"`
	// Calibration is how much the machine differs from itself from run to run; nil: it was not measured.
	Calibration *Calibration `json:"calibration,omitempty"`
	// Thresholds are what the scenario's thresholds came to.
	Thresholds []Threshold `json:"thresholds,omitempty"`
	// Uncertainty is how far headline figures may be from the truth, and what that comes from.
	Uncertainty []Uncertainty `json:"uncertainty,omitempty"`
	// Registered is what was settled before the first packet; nil: the result is older.
	Registered *Registered `json:"registered,omitempty"`
	// Raw is what the figures were computed from, in files; nil: it was not kept.
	Raw *RawData `json:"raw,omitempty"`
}

// Neighbour is another run, by its short name and its process.
type Neighbour struct {
	Run string `json:"run"`
	PID int    `json:"pid"`
}

// Study is the publication whose measurement a scenario repeats.
type Study struct {
	// Who wrote it.
	Authors string `json:"authors" yaml:"authors" required:"true" example:"A. Author, B. Author"`
	// Its title.
	Title string `json:"title" yaml:"title" required:"true" example:"A measurement of UPFs"`
	// Year of publication.
	Year int `json:"year" yaml:"year" required:"true" range:"1990..2200" example:"2026"`
	// Where it can be read.
	URL string `json:"url" yaml:"url" required:"true" kind:"url" example:"https://example.org/study"`
}

// Tool is the upflab that measured.
type Tool struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Engine is what sent and received.
type Engine struct {
	Name string `json:"name"` // "xdp", "af_xdp", "af_packet", "trex"; "" in results of before there was a choice
	Why  string `json:"why"`  // this one
	// Differences are what its figures are not, compared with those of upflab's own engines, each
	// in a sentence; none of these.
	Differences []string `json:"differences,omitempty"`
}

// Host is the machine, and what on it can bend a number.
type Host struct {
	Hostname       string            `json:"hostname"`
	OS             string            `json:"os"`     // PRETTY_NAME of os-release
	Kernel         string            `json:"kernel"` // uname -r
	CPU            string            `json:"cpu"`    // model name
	CPUs           int               `json:"cpus"`
	MemoryBytes    uint64            `json:"memory_bytes"`
	Virtualization string            `json:"virtualization,omitempty"` // "kvm", "", ...
	Clocksource    string            `json:"clocksource"`
	Governor       string            `json:"governor,omitempty"`
	Idle           string            `json:"idle_driver,omitempty"`
	IdlePolls      bool              `json:"idle_polls,omitempty"` // idle CPUs were kept from sleeping
	Preemption     string            `json:"preemption,omitempty"`
	Mitigations    map[string]string `json:"mitigations,omitempty"` // those that are not "Not affected"
	Cmdline        string            `json:"cmdline,omitempty"`
	BPFJIT         string            `json:"bpf_jit,omitempty"`
	PTP            *PTP              `json:"ptp,omitempty"` // nil: ptp4l does not run
	// Placement says which CPU does what in this run.
	Placement Placement `json:"placement"`
	// StealRatio is time stolen by the hypervisor / time, over the whole run, of the CPU of the
	// run of which it took most. Not every hypervisor reports what it takes.
	StealRatio float64 `json:"steal_ratio"`
}

// IdleWords is what CPUs with nothing to do did: the driver that puts them to sleep,
// or that they polled.
func (h Host) IdleWords() string {
	switch {
	case h.IdlePolls:
		return "kept from sleeping"
	case h.Idle == "":
		return ""
	}
	return "sleep by driver " + h.Idle
}

// Placement is the CPU each role runs on.
type Placement struct {
	// Kind is "separate": the DUT has its own core; "shared": one core does all; "elsewhere": its operator placed the DUT.
	Kind      string `json:"kind"`
	Generator int    `json:"generator"` // the first of the generators
	// Generators are all CPUs that send. Older results have Generator alone: read
	// Senders.
	Generators []int `json:"generators,omitempty"`
	Sink       int   `json:"sink"` // the first of the sinks
	// Sinks are all CPUs that receive, where there are several; else read Receivers.
	Sinks []int `json:"sinks,omitempty"`
	DUT   []int `json:"dut,omitempty"`
}

// PlacedElsewhere is the kind of a placement without CPUs of the DUT: its operator placed it.
const PlacedElsewhere = "elsewhere"

// WithoutDUT is the placement of a run whose DUTs were all placed by their operators.
func (p Placement) WithoutDUT() Placement {
	p.Kind, p.DUT = PlacedElsewhere, nil
	return p
}

// Receivers are the CPUs of the sink.
func (p Placement) Receivers() []int {
	if len(p.Sinks) > 0 {
		return slices.Clone(p.Sinks)
	}
	return []int{p.Sink}
}

// Senders are the CPUs that send.
func (p Placement) Senders() []int {
	if len(p.Generators) > 0 {
		return slices.Clone(p.Generators)
	}
	return []int{p.Generator}
}

// All are the CPUs of all roles.
func (p Placement) All() []int { return slices.Concat(p.Senders(), p.Receivers(), p.DUT) }

// Status is what became of a DUT in the run.
type Status string

// The states of a DUT.
const (
	StatusOK          Status = "ok"
	StatusFailed      Status = "failed"      // did not come up, died, rejected the sessions
	StatusInterrupted Status = "interrupted" // the user stopped the run
)

// ModeRAN is the mode of decap where UEs are behind a RAN that is not upflab's: the same
// RAN with another UPF, which says what the RAN carries.
const ModeRAN = "ran"

// DUT is one device under test and all its trials.
type DUT struct {
	Name    string `json:"name"` // "eupf"
	Mode    string `json:"mode"` // "native"; "" when it has none
	Version string `json:"version"`
	// Reference is true for wire: no UPF, it shows what the bench costs.
	Reference bool     `json:"reference,omitempty"`
	Status    Status   `json:"status"`
	Error     string   `json:"error,omitempty"` // one line: what went wrong and what to do
	LogTail   string   `json:"log_tail,omitempty"`
	Files     []string `json:"files,omitempty"`   // rendered configs and logs, relative to the result's folder
	Remarks   []string `json:"remarks,omitempty"` // known behaviour of this DUT that touches the scenario
	// N4Findings are faults of this DUT in PFCP, one for each kind.
	N4Findings []N4Finding `json:"n4_findings,omitempty"`
	// Setup is measured while sessions are provisioned.
	Setup    Setup    `json:"setup"`
	Trials   []Trial  `json:"trials"`
	Searches []Search `json:"searches,omitempty"`
	// Stress is what the stress study adds.
	Stress *Stress `json:"stress,omitempty"`
	// Flows are what applications at its UEs measured.
	Flows []AppFlow `json:"flows,omitempty"`
	// ControlPlane is what N4 does under load.
	ControlPlane *ControlPlane `json:"control_plane,omitempty"`
	// Instructions are what its packets and requests took in a machine that counts them.
	Instructions []Instructions `json:"instructions,omitempty"`
	// Incidents are what users lost when something failed or moved.
	Incidents []Incident `json:"incidents,omitempty"`
	// Cases are what behaviour cases found, Features the UP function features that it
	// announced meanwhile.
	Cases    []Case   `json:"cases,omitempty"`
	Features []string `json:"features,omitempty"`
	// Causes are what the findings among Cases come from.
	Causes []Cause `json:"causes,omitempty"`
	// Models are the queueing models of its latency and loss over load, SafeLoads what
	// the chosen ones say of targets.
	Models    []Model    `json:"models,omitempty"`
	SafeLoads []SafeLoad `json:"safe_load,omitempty"`
}

// Label is the DUT as a user writes it: "eupf:native".
func (d *DUT) Label() string {
	if d.Mode == "" {
		return d.Name
	}
	return d.Name + ":" + d.Mode
}

// Method is how a search searches.
type Method string

// The methods.
const (
	MethodMLRsearch        Method = "mlrsearch"                // RFC 9971
	MethodBinary           Method = "binary"                   // RFC 2544 clause 26.1, TST 009 clause 12.3.2
	MethodLossVerification Method = "binary_loss_verification" // TST 009 clause 12.3.3
	MethodLossCurve        Method = "loss_curve"               // RFC 2544 clause 26.3
	MethodBackToBack       Method = "back_to_back"             // RFC 9004
)

// Search is what a search found in one direction: the rates at which a DUT loses
// nothing, and no more than a goal allows (RFC 9971), its loss over load, or its
// buffer.
type Search struct {
	Method    Method    `json:"method"`
	Preset    string    `json:"preset"`
	Direction Direction `json:"direction"`
	Repeat    int       `json:"repeat"`
	PacketSize
	Sessions int     `json:"sessions"`
	MinPPS   float64 `json:"min_pps"` // Min Load
	MaxPPS   float64 `json:"max_pps"` // Max Load
	// NDRPPS and PDRPPS are the relevant lower bounds of the goals "ndr" and "pdr",
	// packets/s; 0 when the search has none to give.
	NDRPPS float64 `json:"ndr_pps"`
	PDRPPS float64 `json:"pdr_pps"`
	// ThroughputPPS is RFC 2544 throughput by a binary search, packets/s; 0 when
	// that was not looked for or not found.
	ThroughputPPS float64      `json:"throughput_pps,omitempty"`
	Goals         []SearchGoal `json:"goals"`
	// Curve is frame loss over load, loads descending; Bursts is what back-to-back
	// frames came to.
	Curve     []CurvePoint `json:"curve,omitempty"`
	Bursts    *Bursts      `json:"bursts,omitempty"`
	DurationS float64      `json:"duration_s"` // of the whole search
	Judgement
	// Standard is the name that the result may carry; Missing is what it lacks for
	// the one that the preset was made for.
	Standard string        `json:"standard,omitempty"`
	Missing  []string      `json:"missing,omitempty"`
	Trials   []SearchTrial `json:"trials"`
}

// SearchGoal is the result for one goal (RFC 9971 clause 4.8.4).
type SearchGoal struct {
	Name      Goal    `json:"name"`
	LossRatio float64 `json:"goal_loss_ratio"`
	Width     float64 `json:"goal_width"`
	// LowerPPS and UpperPPS are the relevant bounds; 0: there is none.
	LowerPPS float64 `json:"relevant_lower_bound_pps"`
	UpperPPS float64 `json:"relevant_upper_bound_pps"`
	// LastLowerPPS and LastUpperPPS are the bounds by the last measure that had any: those
	// above, or where the search ended before, those of shorter trials; 0: there is none.
	LastLowerPPS float64 `json:"last_lower_bound_pps,omitempty"`
	LastUpperPPS float64 `json:"last_upper_bound_pps,omitempty"`
	// ConditionalPPS is the conditional throughput (clause 4.8.3).
	ConditionalPPS float64 `json:"conditional_throughput_pps"`
	// The goal's other attributes (clause 4.6), s and a ratio.
	InitialDurationS float64 `json:"goal_initial_trial_duration_s,omitempty"`
	FinalDurationS   float64 `json:"goal_final_trial_duration_s,omitempty"`
	DurationSumS     float64 `json:"goal_duration_sum_s,omitempty"`
	ExceedRatio      float64 `json:"goal_exceed_ratio,omitempty"`
	// Regular is whether both bounds are there and close enough (clause 4.8.4.1);
	// Verified, whether the DUT still behaved so at the end of the search, or by how
	// much it was off then at most, 0..1.
	Regular  bool    `json:"regular"`
	Verified bool    `json:"verified"`
	Off      float64 `json:"off_ratio,omitempty"`
	// Wire is whether wire carries this rate, and a little more; nil: it was not asked.
	Wire *WireCarries `json:"wire,omitempty"`
	// A valid one is a regular result, or one that the time allowed no closer bounds for (reason
	// "coarse"), that nothing speaks against.
	Judgement
}

// WireCarries is what wire did at a load 5 % above a rate that a search found for a UPF.
type WireCarries struct {
	PPS       float64 `json:"offered_pps"`
	LossRatio float64 `json:"frame_loss_ratio"` // of its last trial
	Trials    int     `json:"trials"`
	// Carried: no more was lost than the goal allows, so the bench is not the rate's limit.
	Carried   bool   `json:"carried"`
	LimitedBy Limit  `json:"limited_by"`
	Raw       uint64 `json:"raw,omitempty"` // the number of the last trial's record in the raw data; 0: not kept
}

// CurvePoint is one load of a frame loss curve.
type CurvePoint struct {
	Ratio     float64 `json:"load_ratio"` // of the highest load
	PPS       float64 `json:"offered_pps"`
	LossRatio float64 `json:"frame_loss_ratio"`
	// Bench is true where the bench did not reach the load.
	Bench     bool  `json:"bench,omitempty"`
	LimitedBy Limit `json:"limited_by"`
}

// Bursts is the result of back-to-back frames (RFC 9004 clause 6.4).
type Bursts struct {
	Longest []uint64 `json:"longest_packets"` // without loss, of each search
	Average float64  `json:"average_packets"` // the benchmark; 0: none
	StdDev  float64  `json:"stddev_packets"`
	Min     uint64   `json:"min_packets"`
	Max     uint64   `json:"max_packets"`
	// SentPPS is the rate within bursts as they were sent; ThroughputPPS that at
	// which the DUT is taken to forward meanwhile.
	SentPPS       float64 `json:"burst_pps"`
	ThroughputPPS float64 `json:"throughput_pps"`
	// ImpliedS and CorrectedS are the Implied and the Corrected DUT Buffer Time.
	ImpliedS   float64 `json:"implied_buffer_s"`
	CorrectedS float64 `json:"corrected_buffer_s"`
	// BufferPackets is what lies in the DUT when the longest burst ends.
	BufferPackets float64 `json:"buffer_packets"`
}

// SearchTrial is one trial of a search.
type SearchTrial struct {
	Phase     string  `json:"phase"`            // "warmup" | "initial" | "search" | "verify"
	Frames    uint64  `json:"frames,omitempty"` // of a burst
	PPS       float64 `json:"offered_pps"`
	DurationS float64 `json:"duration_s"`
	Sent      uint64  `json:"tx_packets"`
	Lost      uint64  `json:"lost"`
	Used      bool    `json:"used"`
	// CountedS is how much of it counts, s: what was due while the machine was disturbed
	// does not. TopUp is a part that makes up for that in the trial before it.
	CountedS  float64  `json:"counted_s,omitempty"`
	TopUp     bool     `json:"top_up,omitempty"`
	LimitedBy Limit    `json:"limited_by"`
	Reasons   []string `json:"reasons,omitempty"`
	// EndedNS is when it ended, from the beginning of the search, ns; Raw the number of its record in the
	// raw data, 0: they were not kept.
	EndedNS int64  `json:"ended_ns,omitempty"`
	Raw     uint64 `json:"raw,omitempty"`
}

// Setup is how long the DUT took to come up and to take its sessions over PFCP.
type Setup struct {
	TestbedSeconds   float64 `json:"testbed_s"`
	StartSeconds     float64 `json:"start_s"` // from the start of its programs to the first PFCP answer
	Sessions         int     `json:"sessions"`
	ProvisionSeconds float64 `json:"provision_s"`
	SessionsPerS     float64 `json:"sessions_per_s"`
	// IdleCores is what the DUT used within a second without traffic, its sessions up,
	// before the first trial; IdleAfterCores after the last one. nil: not known.
	IdleCores      *float64 `json:"idle_cores,omitempty"`
	IdleAfterCores *float64 `json:"idle_after_cores,omitempty"`
	// Sockets are those that the engine af_xdp sends by.
	Sockets []Socket `json:"sockets,omitempty"`
	// NICs are physical ports, as the run set them up.
	NICs []NIC `json:"nics,omitempty"`
	// Links are the ends of N3 and N6 that could be looked at.
	Links []LinkEnd `json:"links,omitempty"`
}

// NIC is a physical port whose queues the run has set up.
type NIC struct {
	Link   string `json:"link"` // "n3" | "n6"
	End    string `json:"end"`  // "upf" | "tester"
	Device string `json:"device"`
	Queues int    `json:"queues"` // that receive
	// TEIDHash are the kinds of GTP-U packet whose TEID takes part in the choice of a queue, as ethtool
	// names them.
	TEIDHash []string `json:"teid_hash,omitempty"`
	Rules    int      `json:"rules,omitempty"` // that send a TEID to a queue
	Why      string   `json:"why,omitempty"`   // there is no hash of the TEID
}

// Socket is an AF_XDP socket: what one CPU sends by, into one queue of a port.
type Socket struct {
	Port     string `json:"port"`
	Queue    int    `json:"queue"`
	ZeroCopy bool   `json:"zero_copy"`     // the NIC reads frames where they were written
	Why      string `json:"why,omitempty"` // it does not
	// SentByNIC is when the NIC sent, compared with when packets were written; nil: NoTimes says why.
	SentByNIC *SentByNIC `json:"sent_by_nic,omitempty"`
	NoTimes   string     `json:"no_times,omitempty"`
}

// SentByNIC is how long after a packet was written its NIC sent it, by the NIC's time stamps, over
// all trials, ns. ErrorNS is how wrong it may be, by what is not known of the NIC's clock.
type SentByNIC struct {
	Packets uint64  `json:"packets"`
	Without uint64  `json:"without"` // packets that have no time
	MeanNS  float64 `json:"mean_ns"`
	MinNS   int64   `json:"min_ns"`
	MaxNS   int64   `json:"max_ns"`
	ErrorNS uint64  `json:"error_ns"`
}

// Kind is what a trial is for.
type Kind string

// Kinds of trial.
const (
	KindLoad    Kind = "load"
	KindLatency Kind = "latency"
	KindSearch  Kind = "search" // what a search found, where it is compared as a trial
	// KindInstructions is what an emulated machine counted, where it is compared as a trial.
	KindInstructions Kind = "instructions"
)

// Trial is one measurement: one load, one direction, one duration. Its parts are types, and flat
// in JSON.
type Trial struct {
	Kind      Kind      `json:"kind"`      // "load" | "latency"
	Direction Direction `json:"direction"` // "uplink" | "downlink" | "both": at once, loads and rates are sums
	Load      Load      `json:"load"`      // with its rate in offered_pps
	// Arrivals is nil where all gaps are equal.
	Arrivals *Arrivals `json:"arrivals,omitempty"`
	Repeat   int       `json:"repeat"` // 1..repeats
	Started  time.Time `json:"started"`
	// Raw is the number of its record in the raw data; 0: they were not kept.
	Raw uint64 `json:"raw,omitempty"`

	PacketSize
	RxFrameBytes int     `json:"rx_frame_bytes"` // as it should arrive
	Sessions     int     `json:"sessions"`
	UDPFlows     int     `json:"udp_flows,omitempty"` // of each address of a session, where there are several
	ECN          string  `json:"ecn,omitempty"`       // the codepoint that inner packets were sent with: ect0, ect1
	DurationS    float64 `json:"duration_s"`          // as measured: first to last slot

	Sending
	// Traffic of both directions is the sum, with latency and jitter of the direction with the
	// higher p99. Flows are then the directions, one by one.
	Traffic
	Flows []Flow `json:"flows,omitempty"`
	// Actual is Latency from the real send time.
	Actual *Latency `json:"latency_from_send_ns,omitempty"`
	// Hardware is the latency up to when the NIC received a packet, by its own clock; nil: the
	// NIC's times were not read.
	Hardware *HardwareLatency `json:"latency_hardware,omitempty"`
	Losses
	// Classes are what became of each class of traffic, where there are several.
	Classes []Class `json:"classes,omitempty"`

	Cost
	// Queues is what each receive queue of the UPF's ports took, where a port has several.
	Queues []QueueUse `json:"queues,omitempty"`
	// Lines are the physical links that the packets cross, where their speed is known.
	Lines []Line `json:"lines,omitempty"`
	ManyHosts

	// Excluded is what does not count, since the machine was disturbed; nil: nothing
	// was looked for, and everything counts.
	Excluded *Excluded `json:"excluded,omitempty"`
	// Soak is what a soak adds.
	Soak *Soak `json:"soak,omitempty"`
	// Series is the trial over time, a point each 100 ms; of long trials further
	// distant, 2000 points at most.
	Series []Point `json:"series,omitempty"`

	// Evidence is what the verdict rests on besides the counts above.
	Evidence *Evidence `json:"evidence,omitempty"`
	Judgement
	// Faults are the kinds of the first reasons, of a trial that is not valid.
	Faults []Fault `json:"faults,omitempty"`
	// Counted is what a trial of KindInstructions is made of: a result has it in a list of its own.
	Counted *Instructions `json:"-"`
}

// PacketSize is how large packets are. Of a mixture (Mixed) the octets are means, rounded.
type PacketSize struct {
	// Size is as the scenario writes it: "1400", "frame:512", "imix".
	Size  string `json:"size,omitempty"`
	Mixed bool   `json:"mixed,omitempty"`
	Families
	PayloadBytes int `json:"payload_bytes"` // UDP payload of the inner packet
	InnerBytes   int `json:"inner_bytes"`   // the inner IP packet
	FrameBytes   int `json:"frame_bytes"`   // the frame as sent, Ethernet header on, no FCS
}

// Families are the IP of UEs, and of the network around the UPF.
type Families struct {
	Family    string `json:"ue_family,omitempty"` // of the inner packets: "ipv6" or "both", half of each; "": IPv4
	Transport string `json:"transport,omitempty"` // IP of the outer headers on N3: "ipv6"; "": IPv4
	// Compared is the one of the scenario's families that the trial is of: "ipv6-over-ipv6"; "": the run compares none.
	Compared string `json:"compared_family,omitempty"`
}

// Sending is how well the generator kept its schedule.
type Sending struct {
	// Skipped is how many of the intended packets were never sent, because the generator
	// was over 500 us late: their latency counts as that and the shortest way, which it is at least.
	Skipped   uint64   `json:"skipped_packets,omitempty"`
	Intended  uint64   `json:"intended_packets"`      // slots that fell due (for max: what was sent)
	Lateness  *Latency `json:"lateness_ns,omitempty"` // actual - intended send time
	LateSlots uint64   `json:"late_slots"`            // sent over 10 us after they were due
	Stalls    uint64   `json:"stalls"`                // times the generator stood still over 1 ms
}

// Traffic is what became of the packets of a trial, or of one direction of it.
type Traffic struct {
	TxPackets uint64 `json:"tx_packets"`
	// RxPackets arrived once, correct in every header that the rules ask for.
	RxPackets uint64  `json:"rx_packets"`
	TxPPS     float64 `json:"tx_pps"`
	// RxPPS is over the time of sending, or of receiving where that is longer: a
	// full queue that empties when sending has ended adds nothing to the rate.
	RxPPS   float64 `json:"rx_pps"`
	TxL2bps float64 `json:"tx_l2_bps"` // bits/s, Ethernet header on, no FCS
	RxL2bps float64 `json:"rx_l2_bps"`
	// FrameLossRatio is (tx - rx) / tx, 0..1 (RFC 1242 clause 3.6 as a ratio).
	FrameLossRatio float64 `json:"frame_loss_ratio"`
	// LossRuns are the runs of packets lost in a row within a session, ascending by
	// length (RFC 3357 clause 6.1, loss period); wrong packets are lost, too.
	LossRuns   []LossRun `json:"loss_runs,omitempty"`
	Duplicates uint64    `json:"duplicates"`
	Reordered  uint64    `json:"reordered"` // RFC 4737 clause 3.3 Type-P-Reordered
	// ReorderExtent is by how much they were late (RFC 4737 clause 4.2.2).
	ReorderExtent *Extent `json:"reorder_extent,omitempty"`
	Wrong         uint64  `json:"wrong"` // arrived, but not as the rules ask
	// CEMarked of RxPackets were sent as ECT and arrived as CE (RFC 3168 clause 5).
	CEMarked uint64 `json:"ce_marked,omitempty"`

	// Latency counts from the intended send time.
	Latency *Latency `json:"latency_ns"`
	// All is Latency with the packets that do not count; nil: all do.
	All *Latency `json:"latency_all_ns,omitempty"`
	// PDV is the delay variation against the least delay (RFC 5481 clause 4.2), IPDV
	// the absolute difference of two packets sent one after the other (RFC 3393, RFC
	// 5481 clause 4.1); both from the real send time.
	PDV  *Latency `json:"pdv_ns,omitempty"`
	IPDV *Latency `json:"ipdv_ns,omitempty"`
	// AtDUT is the delay of a sample of the packets between the DUT's ports, from where
	// they come in to where they go out; of a DUT that is an XDP program, to the other end
	// of the link. nil: not timed. Of both directions it is in Flows.
	AtDUT    *Latency `json:"at_dut_ns,omitempty"`
	JitterNS float64  `json:"jitter_ns"` // RFC 3550 clause 6.4.1, mean over packets
}

// Losses is where packets went that did not arrive as they should.
type Losses struct {
	WrongWhy []Count `json:"wrong_why,omitempty"`
	Foreign  uint64  `json:"foreign,omitempty"` // frames at the sink that are not ours (ARP, ICMP ...)
	// Drops is where packets went that did not arrive; Unattributed is the rest.
	Drops        []Count `json:"drops,omitempty"`
	Unattributed uint64  `json:"unplaced,omitempty"`
}

// Cost is what the packets cost the machine.
type Cost struct {
	CPU         CPU     `json:"cpu"`
	Energy      *Energy `json:"energy,omitempty"`                // nil: the machine does not show it
	MemoryBytes uint64  `json:"memory_bytes"`                    // RSS of the DUT's processes + its BPF maps
	ProgramNS   float64 `json:"program_ns_per_packet,omitempty"` // BPF run time per packet, when asked for
	// Counters are what the processor's counters of the UPF's CPUs came to; nil: not known.
	Counters *Counters `json:"counters,omitempty"`
	// StealRatio is the share of the time that the hypervisor took, 0..1, of the CPU of the
	// run of which it took most.
	StealRatio float64 `json:"steal_ratio"`
}

// ManyHosts is what a trial has of the hosts that take part, where there are several.
type ManyHosts struct {
	// Hosts are what each other host did, and ClockErrorNS by how much one-way delays between
	// them may be wrong, ns.
	Hosts []HostShare `json:"hosts,omitempty"`
	// RoundTrip needs one clock alone; nil: the hosts have one clock, so that none was measured.
	RoundTrip    *RoundTrip `json:"round_trip,omitempty"`
	ClockErrorNS uint64     `json:"clock_error_ns,omitempty"`
	// StartSkewNS is by how much the hosts that send differ in how late their first packet was,
	// ns, each by its own clock: their clocks' error comes to it.
	StartSkewNS uint64 `json:"start_skew_ns,omitempty"`
}

// Judgement is what upflab makes of a trial, of a search or of what a search found for a goal.
type Judgement struct {
	LimitedBy Limit    `json:"limited_by"` // of a search at the upper bound of the first goal
	Valid     bool     `json:"valid"`
	Reasons   []string `json:"reasons"`
	// ReasonCodes names the kinds of Reasons: of a search one for each; of a trial one for each of
	// the first, those of the verdict: faults, what limited the trial, and doubts.
	// `upflab explain` has their causes and fixes.
	ReasonCodes []string `json:"reason_codes,omitempty"`
}

// HardwareLatency is what the NIC's times of reception come to: from the intended send time, which is
// software's, to the NIC that receives. Disturbed windows are in it.
type HardwareLatency struct {
	Latency      *Latency `json:"latency_ns"`               // nil: no packet has such a time, or the clocks do not agree
	With         uint64   `json:"with_time"`                // packets that the NIC has given a time
	Without      uint64   `json:"without_time"`             // others
	Early        uint64   `json:"early,omitempty"`          // received before they were due: the clocks do not agree
	ClockErrorNS uint64   `json:"clock_error_ns,omitempty"` // how exactly the NIC's clock is known
	Why          string   `json:"why,omitempty"`            // the NIC's times were not read, although it has them
}

// Flow is one direction of a trial of both at once.
type Flow struct {
	Direction Direction `json:"direction"` // "uplink" | "downlink"
	Traffic
}

// Point is what happened in the time up to T since the point before.
type Point struct {
	T        float64 `json:"t_s"` // from the first slot
	TxPPS    float64 `json:"tx_pps"`
	RxPPS    float64 `json:"rx_pps"`
	P50      uint64  `json:"p50_ns"` // 0: nothing arrived
	P99      uint64  `json:"p99_ns"`
	DUTCores float64 `json:"dut_cores"`
	// MemoryBytes is taken in a soak.
	MemoryBytes uint64 `json:"memory_bytes,omitempty"`
}

// Count is a named number of packets.
type Count struct {
	Place   Place  `json:"place"`
	Side    Side   `json:"side,omitempty"` // of a loss
	Packets uint64 `json:"packets"`
}

// LossRun is how often so many packets in a row were lost.
type LossRun struct {
	Length uint64 `json:"length"` // packets
	Count  uint64 `json:"count"`
}

// Extent is by how many arrivals reordered packets came after the first one of
// those that had overtaken them.
type Extent struct {
	Mean    float64 `json:"mean"`
	P50     uint64  `json:"p50"`
	P99     uint64  `json:"p99"`
	Max     uint64  `json:"max"`
	Count   uint64  `json:"count"`
	Unknown uint64  `json:"unknown,omitempty"` // packets too late for it to be known
}

// Latency is a distribution in nanoseconds.
type Latency struct {
	Min   uint64  `json:"min"`
	Mean  float64 `json:"mean"`
	P50   uint64  `json:"p50"`
	P90   uint64  `json:"p90"`
	P95   uint64  `json:"p95,omitempty"`
	P99   uint64  `json:"p99"`
	P999  uint64  `json:"p999"`
	P9999 uint64  `json:"p9999"`
	Max   uint64  `json:"max"`
	Count uint64  `json:"count"`
	// P50Step and P99Step are by how much these may be too high, ns, where what measured
	// them rounds up more coarsely than the buckets; 0: it does not.
	P50Step uint64 `json:"p50_step,omitempty"`
	P99Step uint64 `json:"p99_step,omitempty"`
	// The 95 % confidence intervals of quantiles, for packets that depend on each other as
	// much as those of the trial did; left out where that does not tell, and then NotKnown
	// says why.
	P50Low    uint64 `json:"p50_low,omitempty"`
	P50High   uint64 `json:"p50_high,omitempty"`
	P99Low    uint64 `json:"p99_low,omitempty"`
	P99High   uint64 `json:"p99_high,omitempty"`
	P999Low   uint64 `json:"p999_low,omitempty"`
	P999High  uint64 `json:"p999_high,omitempty"`
	P9999Low  uint64 `json:"p9999_low,omitempty"`
	P9999High uint64 `json:"p9999_high,omitempty"`
	// UpperBound: packets may be in it that waited for a disturbance, so that without any
	// latency is at most that; see Excluded.Cut.
	UpperBound bool `json:"upper_bound,omitempty"`
	// Unmoved names the quantiles that such packets move by 1 % at most: they are no bounds.
	Unmoved []string `json:"unmoved,omitempty"`
	// Skipped packets of Count were never sent; quantiles above what they count as may be longer.
	Skipped uint64 `json:"skipped_packets,omitempty"`
	// SkippedAs is what each counts as, ns: 500 us, for which it was late at least, and the shortest way of a packet that
	// was sent.
	SkippedAs uint64 `json:"skipped_as_ns,omitempty"`
	// Unresolved names the quantiles that what measured them knows to no more than a tenth of
	// them: those of a delay variation, which are differences of much longer delays. The true
	// ones are at most that.
	Unresolved []string `json:"unresolved,omitempty"`
	// NotKnown is why a quantile ("p50", "p99", "p999", "p9999") has no interval: NotByWindows,
	// Dependent, FewPackets.
	NotKnown map[string]string `json:"interval_not_known,omitempty"`
	// Buckets is the histogram, ascending, empty ones left out.
	Buckets []Bucket `json:"buckets,omitempty"`
}

// SkippedNS is how late a packet was at least that was never sent, ns.
const SkippedNS = 500_000

// AtLeast reports whether a value of the distribution is a lower bound, since packets are in
// it that were never sent, and count as less than their latency.
func (l *Latency) AtLeast(ns float64) bool {
	return l.Skipped > 0 && ns >= float64(cmp.Or(l.SkippedAs, SkippedNS)) // results of before it was kept have none
}

// MeanAtLeast reports whether the mean is a lower bound: every packet adds to it that was never
// sent.
func (l *Latency) MeanAtLeast() bool { return l.Skipped > 0 }

// NeverSent says why a latency is a lower bound.
const NeverSent = "packets are in it that the generator was too late to send, as 500 µs late"

// Why the interval of a quantile is not known.
const (
	NotByWindows = "not_by_windows" // the packets were not counted by time
	Dependent    = "dependent"      // they depend on each other for as long as the trial tells of
	FewPackets   = "few_packets"    // too few of them, independent of each other, are beyond the quantile
)

// Bucket counts values in (the previous bound, UpTo], ns.
type Bucket struct {
	UpTo  uint64 `json:"le"`
	Count uint64 `json:"n"`
}

// CPU is time on a core / time, so 1.0 is one core fully busy.
type CPU struct {
	DUTCores float64 `json:"dut_cores"` // sum of DUTParts
	// GeneratorCores is the share of the generator's core that sending took;
	// waiting for the next slot is not counted.
	GeneratorCores float64 `json:"generator_cores"`
	DUTParts       []Share `json:"dut_parts,omitempty"`
	// AtLeast is true where upflab watches the UPF's process alone, since it did not place the UPF:
	// what the kernel does for it, as all work of an XDP program, is not in DUTCores.
	AtLeast bool `json:"at_least,omitempty"`
	// PerCore is how busy each CPU of the machine was.
	PerCore []CoreUse `json:"per_core,omitempty"`
	// CoreBusy is 1 - idle of the DUT's core(s), mean, whoever used it; absent: not known.
	CoreBusy float64 `json:"dut_core_busy,omitempty"`
	// UsefulRatio is the share of its time, 0..1, in which a UPF that polls moved
	// packets, by its own account; nil when it reports none, or does not poll.
	UsefulRatio *float64 `json:"useful_ratio,omitempty"`
}

// Share is a named part of a sum of cores.
type Share struct {
	Name  string  `json:"name"`
	Cores float64 `json:"cores"`
}
